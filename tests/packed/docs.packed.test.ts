import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { mustRun } from "../../tools/packages/run-command.ts";
import { readLockfile } from "./read-lockfile.ts";

const folder = inject("strangerFolder");
const docs = join(folder, "node_modules/@troupe/http/dist/swagger-ui");

const program = `
  import { once } from "node:events";
  import { createAgentRouter } from "@troupe/http";
  import express from "express";

  const server = express().use(createAgentRouter({ swagger: {} })).listen(0);
  await once(server, "listening");
  for (const file of ["", "/docs.js", "/swagger-ui-bundle.js", "/swagger-ui.css", "/favicon-32x32.png", "/spec.json"]) {
    console.log((await fetch("http://127.0.0.1:" + server.address().port + "/docs" + file)).status);
  }
  server.closeAllConnections();
  server.close();
`;

it("the docs are served by whoever installs the package, without the package that they come from", async () => {
  const statuses = await mustRun(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });

  expect(statuses.trim().split("\n")).toEqual(Array.from({ length: 6 }, () => "200"));
});

it("nothing of what Swagger UI depends on is installed, and it brings no script to be run", () => {
  const strangers = readLockfile(folder).filter(({ path }) => /swagger|scarf/.test(path));

  expect(strangers).toEqual([]);
});

it("Swagger UI comes with its licences, and says that it was changed", () => {
  const read = (name: string) => readFileSync(join(docs, name), "utf8");

  expect(read("LICENSE")).toContain("Apache License");
  expect(read("NOTICE")).toContain("swagger-ui");
  expect(read("swagger-ui-bundle.js.LICENSE.txt")).not.toBe("");
  expect(read("swagger-ui.css")).toContain("/* Changed: the reference to a source map");
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) expect(read(name)).not.toContain("sourceMappingURL");
});
