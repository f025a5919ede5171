import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/**
 * Writes the type declarations of the private package into `dist/internal`, and lets the declarations of this package
 * refer to them: the client depends on no other package, so its types must be complete.
 */
const dist = join(import.meta.dirname, "dist");
const source = join(import.meta.dirname, "../../internal/client/src");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const options = ["--declaration", "--emitDeclarationOnly", "--rootDir", source, "--outDir", join(dist, "internal")];
const language = ["--target", "ES2023", "--lib", "ES2024,ESNext.Array", "--module", "NodeNext", "--types", "node"];
const checks = ["--strict", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions", "--skipLibCheck"];
execFileSync(process.execPath, [tsc, "--ignoreConfig", ...options, ...language, ...checks, join(source, "index.ts")], {
  stdio: "inherit",
});
for (const file of globSync("*.d.ts", { cwd: dist })) {
  const path = join(dist, file);
  const target = `./${relative(dist, join(dist, "internal/index.js"))}`;
  writeFileSync(path, readFileSync(path, "utf8").replaceAll('"@troupe-internal/client"', JSON.stringify(target)));
}
