import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { mustRun } from "../../tools/packages/run-command.ts";
import { readLockfile } from "./read-lockfile.ts";

const folder = inject("consumerFolder");
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

it("an installed @troupe/http serves the docs without swagger-ui-dist", async () => {
  const statuses = await mustRun(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });

  expect(statuses.trim().split("\n")).toEqual(Array.from({ length: 6 }, () => "200"));
});

it("no dependency of Swagger UI and no install script of it is installed", () => {
  const foreign = readLockfile(folder).filter(({ path }) => /swagger|scarf/.test(path));

  expect(foreign).toEqual([]);
});

it("Swagger UI comes with its licences and a notice of the changes", () => {
  const read = (name: string) => readFileSync(join(docs, name), "utf8");

  expect(read("LICENSE")).toContain("Apache License");
  expect(read("NOTICE")).toContain("swagger-ui");
  expect(read("swagger-ui-bundle.js.LICENSE.txt")).not.toBe("");
  expect(read("swagger-ui.css")).toContain("/* Changed: the reference to a source map");
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) expect(read(name)).not.toContain("sourceMappingURL");
});
