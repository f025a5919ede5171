import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { MissingServer } from "../../tools/services/service.ts";

/** Libraries that clients of OpenAPI Generator in Java import, in the versions of the pom.xml that it generates. */
const libraries = [
  "com.google.code.findbugs:jsr305:3.0.2",
  "com.google.code.gson:gson:2.10.1",
  "com.squareup.okhttp3:logging-interceptor:4.12.0",
  "com.squareup.okhttp3:okhttp:4.12.0",
  "io.gsonfire:gson-fire:1.9.0",
  "jakarta.annotation:jakarta.annotation-api:1.3.5",
  "jakarta.ws.rs:jakarta.ws.rs-api:2.1.6",
  "org.apache.commons:commons-lang3:3.18.0",
];

/** The version in its name is raised with those of the libraries. */
const folder = join(homedir(), ".cache", "troupe", "openapi-java-libraries-1");
const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/** Ensures that the libraries are there; throws `MissingServer` when they are not and may not be fetched, or cannot be. */
export function needJavaLibraries(mayInstall: boolean): void {
  if (existsSync(folder)) return;
  if (!mayInstall) throw new MissingServer("pass --install to have the libraries of clients in Java fetched");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "pom.xml"), pomOf(libraries));
  try {
    execFileSync("mvn", ["-q", "-B", plugin, `-DoutputDirectory=${folder}`], { cwd: folder, stdio: "ignore" });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the libraries of clients in Java could not be fetched with Maven (mvn)");
  }
}

/** Returns the class path of the libraries. */
export function javaClassPath(): string {
  const jars = readdirSync(folder).filter((name) => name.endsWith(".jar"));
  return jars.map((name) => join(folder, name)).join(":");
}

function pomOf(coordinates: readonly string[]): string {
  const dependencies = coordinates.map((each) => {
    const [group, name, version] = each.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  const project = "<modelVersion>4.0.0</modelVersion><groupId>none</groupId><artifactId>none</artifactId>";
  return `<project>${project}<version>1</version><dependencies>${dependencies.join("")}</dependencies></project>`;
}
