import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, jdbcOf, maven, type PeerServer, peerFolder, startProgram } from './java.ts';

const VERSION = '7.2.0';
const CONNECTIONS = 32;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.5.4</version>
  </parent>
  <groupId>peer</groupId>
  <artifactId>flowable</artifactId>
  <version>1</version>
  <properties><java.version>17</java.version></properties>
  <dependencies>
    <dependency>
      <groupId>org.flowable</groupId>
      <artifactId>flowable-spring-boot-starter-process-rest</artifactId>
      <version>${VERSION}</version>
    </dependency>
    <dependency><groupId>org.postgresql</groupId><artifactId>postgresql</artifactId></dependency>
  </dependencies>
  <build><plugins><plugin>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-maven-plugin</artifactId>
  </plugin></plugins></build>
</project>
`;
const MAIN = `package peer;
@org.springframework.boot.autoconfigure.SpringBootApplication
public class Peer {
  public static void main(String[] args) { org.springframework.boot.SpringApplication.run(Peer.class, args); }
}
`;

/** Flowable with its REST interface, no passwords, no rules, and its history as it is by default. */
export async function startFlowable(databaseUrl: string): Promise<PeerServer> {
  const folder = await peerFolder(`flowable-${VERSION}`);
  const archive = join(folder, 'target/flowable-1.jar');
  if (!existsSync(archive)) {
    await mkdir(join(folder, 'src/main/java/peer'), { recursive: true });
    await writeFile(join(folder, 'pom.xml'), POM);
    await writeFile(join(folder, 'src/main/java/peer/Peer.java'), MAIN);
    maven(folder, ['package']);
  }
  const port = await freePort();
  const { url, username, password } = jdbcOf(databaseUrl);
  const { child, stop } = await startProgram(
    [
      'java',
      '-jar',
      archive,
      `--server.port=${port}`,
      `--spring.datasource.url=${url}`,
      `--spring.datasource.username=${username}`,
      `--spring.datasource.password=${password}`,
      `--spring.datasource.hikari.maximum-pool-size=${CONNECTIONS}`,
    ],
    {},
    `http://127.0.0.1:${port}/process-api/repository/process-definitions`,
  );
  return {
    name: `Flowable ${VERSION}`,
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    headers: {},
    [Symbol.asyncDispose]: stop,
  };
}

/** @throws Error when it is refused */
export async function deployToFlowable(url: string, name: string, content: string): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/xml' }), name);
  const response = await fetch(`${url}/process-api/repository/deployments`, { method: 'POST', body: form });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
}
