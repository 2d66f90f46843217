/** Strokes on a grid of 24. */
const PATHS = {
  home: 'M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z',
  objects: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1-4 4-6 8-6s7 2 8 6',
  inbox: 'M4 13l2.5-8h11L20 13v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM4 13h5l1.5 2.500h3L15 13h5',
  schedules: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  nodes: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.500h.01M7.5 16.500h.01',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  processes: 'M3 12h3M18 12h3M6 9h5v6H6zM11 12h2M16 8l4 4-4 4-3-4z',
  scripts: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.500 5l-3 14',
  configuration:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  types: 'M4 4h16v5H4zM4 9v11h16V9M10 9v11M4 14.500h16',
  roles:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 20c.6-3.500 3-5 6-5s5.400 1.500 6 5M16 8l2 2 4-4',
  scans: 'M4 6h16M4 11h9M4 16h6M16.500 19a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM19 18l2.500 2.500',
  security: 'M12 3l8 3v6c0 4.500-3.300 7.800-8 9-4.700-1.200-8-4.500-8-9V6zM9 12l2 2 4-4',
  systems:
    'M12 9c4 0 7-1.300 7-3s-3-3-7-3-7 1.300-7 3 3 3 7 3zM5 6v12c0 1.700 3 3 7 3s7-1.300 7-3V6M5 12c0 1.700 3 3 7 3s7-1.300 7-3',
  mappings: 'M4 7h13M14 4l3 3-3 3M20 17H7M10 14l-3 3 3 3',
  reconciliations: 'M5 4v16M19 4v16M8 9h8M8 15h8M15 6l-6 12',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.500l4.5 4.500L19 7.5',
  warn: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  bad: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9 9l6 6M15 9l-6 6',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  left: 'M15 6l-6 6 6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  theme: 'M20 14.500A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.500z',
  play: 'M7 5l12 7-12 7z',
  pause: 'M8 5v14M16 5v14',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  undo: 'M9 7L4 12l5 5M4 12h10a5 5 0 0 1 0 10h-2',
  keyboard: 'M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c.8-3.5 3.5-5 7-5s6.2 1.5 7 5',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words, which say the same. */
export function Icon({ name, small = false }: { readonly name: IconName; readonly small?: boolean }) {
  return (
    <svg className={small ? 'icon small' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
