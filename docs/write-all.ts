/** Writes every page that is read off the code or off a node. `npm run docs` */
for (const page of ['reference', 'access-matrix', 'groovy', 'process-variables', 'monitoring']) {
  console.info(page);
  await import(`./write-${page}.ts`);
}
