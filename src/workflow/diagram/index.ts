/**
 * Pictures of processes: BPMN-DI as SVG and PNG, with what is active in red.
 *
 * Words: a *diagram* is what a process file says about its own picture; a *drawing* is the SVG made from it.
 * Only the bundled font is used, so a picture is the same on every machine.
 */
export { DiagramPainter, type DiagramSource } from './diagram-painter.ts';
export { type DiagramOptions, type Drawing, drawDiagram } from './draw-diagram.ts';
export { renderPng } from './render-png.ts';
