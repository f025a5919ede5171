import { describe, expect, it } from "vitest";
import * as houseLayers from "./layers.ts";
import type { Layers } from "./layers.ts";
import { findViolations } from "./find-violations.ts";
import type { Manifest, SourceText } from "./workspace.ts";

const manifest = (folder: string, name: string, given: Partial<Manifest> = {}): Manifest => ({
  folder,
  name,
  dependencies: [],
  devDependencies: [],
  replaceable: [],
  ...given,
});

const manifests: readonly Manifest[] = [
  manifest("", "troupe", { devDependencies: ["vitest", "@troupe/core", "@troupe/http"] }),
  manifest("packages/core", "@troupe/core", {
    dependencies: ["@troupe/http"],
    devDependencies: ["zod"],
    replaceable: ["#sockets"],
  }),
  manifest("packages/http", "@troupe/http", { dependencies: ["@troupe/core", "@troupe/socket", "express"] }),
  manifest("packages/socket", "@troupe/socket", { dependencies: ["@troupe/core", "@troupe-internal/gemini"] }),
  manifest("packages/providers-google", "@troupe/providers-google", {
    dependencies: ["@troupe/core"],
    devDependencies: ["@troupe-internal/gemini"],
  }),
  manifest("internal/gemini", "@troupe-internal/gemini", { dependencies: ["@troupe/core", "@troupe/http"] }),
  manifest("apps/demo-server", "@troupe/demo-server", { dependencies: ["@troupe/core", "@troupe/http"] }),
];

/** A small workspace without a violation: one file for each thing that the rules allow. */
const sound: Record<string, string> = {
  "packages/core/src/index.ts": `export { Agent } from "./agent/agent.ts";`,
  "packages/core/src/kit.ts": `export type { Json } from "./storage/json.ts";`,
  "packages/core/src/testing.ts": `export { model } from "./testing/model.ts";`,
  "packages/core/src/entry-points.test.ts": `import { Agent } from "./index.ts"; import { it } from "vitest";`,
  "packages/core/src/util/sleep.ts": `import { setTimeout } from "node:timers"; /** Waits. */ export const sleep = setTimeout;`,
  "packages/core/src/storage/json.ts": `/** Plain data. */ export type Json = string;`,
  "packages/core/src/storage/sockets.ts": `const sockets = await import("#sockets");`,
  "packages/core/src/storage/own.ts": `import type { Json } from "./json.ts"; import { sleep } from "../util/sleep.ts";`,
  "packages/core/src/agent/agent.ts": `import type { Json } from "../storage/json.ts";\n/** An agent. */\nexport class Agent { json?: Json; }`,
  "packages/core/src/storage/owner-key.ts": `const same = one.userId === other.userId;`,
  "packages/core/src/agent/owned.ts": `const has = owner.userId !== undefined && typeof tenantId === "string"; read({ userId }, owner.tenantId);`,
  "packages/core/src/agent/counted.ts": `const bytes = Buffer.byteLength(text) + data.byteLength; const is = texts.length > 2 && bytes < maxBytes;`,
  "packages/core/src/agent/timed.ts": `class A { #timer = setTimeout(end, 5).unref(); #all = new Set(); begin(signal) { const one = setInterval(look, 5); this.#all.add(one); signal.addEventListener("abort", end); return setTimeout(end, 5); } end() { clearTimeout(this.#timer); for (const each of this.#all) clearInterval(each); signal.removeEventListener("abort", end); target.addEventListener("x", () => {}, { signal }); } }`,
  "packages/core/src/agent/lasting.ts": `const endsAt = performance.now() + timeoutMs; const waitMs = retrySeconds * 1000 - spentMs; const send = ({ timeout }: Options, ttlMs: number) => call({ timeout: ttlMs });`,
  "packages/core/src/agent/cut.ts": `const shown = cutText(text, longestShown); const first = parts.slice(0, maxParts); const rest = text.slice(longestShown);`,
  "packages/core/src/agent/located.ts": `const file = fileURLToPath(new URL("a", import.meta.url)); const { pathname } = new URL(request.url); read(url.pathname);`,
  "packages/core/src/agent/owned.test.ts": `const same = one.userId === other.userId;`,
  "packages/core/src/keys/read-environment.ts": `const key = () => process.env["KEY"];`,
  "packages/core/src/agent/agent.test.ts": `import { model } from "../testing/model.ts"; import { z } from "zod";`,
  "packages/core/src/testing/model.ts": `import { Agent } from "../agent/agent.ts";\n/** A model. */\nexport const model = Agent;`,
  "packages/core/examples/ask.ts": `import { Agent } from "@troupe/core"; import { model } from "@troupe/core/testing";`,
  "packages/http/src/index.ts": `export { router } from "./router.ts";`,
  "packages/http/src/router.ts": `import { Agent } from "@troupe/core"; import type { Json } from "@troupe/core/kit"; import express from "express";\n/** Routes. */\nexport const router = express;`,
  "packages/http/src/exchange.ts": `import type { Json } from "@troupe/core/kit"; let json: Json;`,
  "packages/http/src/answer/write.ts": `import type { Exchange } from "../exchange.ts";`,
  "packages/http/src/answer/parts/part.ts": `import type { Written } from "../write.ts";`,
  "packages/http/src/answer/whole.ts": `import type { Part } from "./parts/part.ts"; import type { Written } from "./write.ts";`,
  "packages/http/src/router.test.ts": `import { model } from "@troupe/core/testing"; import { it } from "vitest"; import { help } from "../test/help.ts";`,
  "packages/http/test/help.ts": `import { router } from "../src/router.ts"; export const help = router;`,
  "packages/providers-google/src/index.ts": `import { gemini } from "@troupe-internal/gemini";`,
  "internal/gemini/src/index.ts": `import { Agent } from "@troupe/core";`,
  "apps/demo-server/src/main.ts": `process.env.PORT; import { router } from "@troupe/http"; import { model } from "@troupe/core/testing";`,
  "tests/whole.test.ts": `import { router } from "@troupe/http"; import { model } from "@troupe/core/testing"; import layers from "../tools/layers/layers.ts";`,
};

const layers: Layers = {
  ...houseLayers,
  folderLayers: {
    "packages/core/src": [["util"], ["events", "keys", "storage"], ["run"], ["agent"], ["testing"]],
    "packages/http/src": [["exchange"], ["answer", "request"], ["router"]],
    "packages/http/src/answer": [["."], ["parts"], ["whole"]],
  },
  entryPoints: {
    "@troupe/core": "packages/core/src/index.ts",
    "@troupe/core/kit": "packages/core/src/kit.ts",
    "@troupe/core/testing": "packages/core/src/testing.ts",
  },
  environmentReaders: [...houseLayers.environmentReaders, "packages/core/src/keys/read-environment.ts"],
  ownerModules: ["packages/core/src/storage/owner-key.ts"],
};

function judge(added: Record<string, string> = {}) {
  const files: SourceText[] = Object.entries({ ...sound, ...added }).map(([path, text]) => ({ path, text }));
  return findViolations({ files, manifests }, layers);
}

/** One violation of each kind: the rule that reports it, its description, its file (in core, unless it begins with a slash) and the file's content. */
const violations: readonly [rule: string, title: string, path: string, text: string][] = [
  ["upward", "an import from a higher layer", "util/a.ts", `import { Json } from "../storage/json.ts";`],
  ["upward", "a type from a higher layer", "util/a.ts", `import type { Json } from "../storage/json.ts";`],
  ["upward", "an inline type import", "util/a.ts", `import { type Json } from "../storage/json.ts";`],
  ["upward", "a type written as import()", "util/a.ts", `let a: import("../storage/json.ts").Json;`],
  ["upward", "a dynamic import", "util/a.ts", `await import("../storage/json.ts");`],
  ["upward", "an import for its effect", "util/a.ts", `import "../storage/json.ts";`],
  ["upward", "an import assignment", "util/a.ts", `import json = require("../storage/json.ts");`],
  ["upward", "a required file", "util/a.ts", `require("../storage/json.ts");`],
  ["upward", "an import written for the built file", "util/a.ts", `import "../storage/json.js";`],
  ["upward", "an import by a detour through the root", "util/a.ts", `import "../../../core/src/storage/json.ts";`],
  ["upward", "a test that needs a higher layer", "util/a.test.ts", `import "../agent/agent.ts";`],
  ["upward", "a source that needs the test kit", "agent/a.ts", `import "../testing/model.ts";`],
  ["sideways", "a neighbour on the same layer", "events/a.ts", `import type { Json } from "../storage/json.ts";`],
  [
    "upward",
    "a file beside the folders of a lower layer",
    "/packages/http/src/exchange.ts",
    `import "./request/read.ts";`,
  ],
  ["upward", "a file beside the folders of a higher layer", "/packages/http/src/answer/a.ts", `import "../router.ts";`],
  ["upward", "a file that needs a folder above it", "/packages/http/src/answer/a.ts", `import "./parts/part.ts";`],
  ["upward", "a folder in a folder", "/packages/http/src/answer/parts/a.ts", `import "../whole.ts";`],
  ["unknown-folder", "a folder in a folder without a layer", "/packages/http/src/answer/misc/a.ts", ``],
  ["no-layers", "a package whose folders have no layers", "/packages/socket/src/runs/a.ts", ``],
  ["sideways", "a neighbour in another package", "/packages/http/src/request/a.ts", `import "../answer/write.ts";`],
  ["entry-point", "an entry point imported from inside", "agent/a.ts", `import type { Json } from "../kit.ts";`],
  ["entry-point", "an entry point by the name of its built file", "agent/a.ts", `import "../index.js";`],
  ["own-entry-point", "core imported by its own name", "agent/a.ts", `import { Agent } from "@troupe/core";`],
  ["root-file", "a file beside the folders", "helper.ts", ``],
  ["root-file", "a file without a layer beside the folders", "/packages/http/src/helper.ts", ``],
  ["unknown-folder", "a folder without a layer", "misc/a.ts", ``],
  ["barrel", "an index inside core", "util/index.ts", ``],
  ["barrel", "an export passed on", "agent/a.ts", `export { Json } from "../storage/json.ts";`],
  ["barrel", "a type passed on", "agent/a.ts", `export type { Json } from "../storage/json.ts";`],
  [
    "barrel",
    "an import that is then exported",
    "agent/a.ts",
    `import { Json } from "../storage/json.ts"; export { Json };`,
  ],
  ["export-star", "an entry point that lists with a star", "index.ts", `export * from "./agent/agent.ts";`],
  ["export-star", "a namespace passed on", "index.ts", `export * as agent from "./agent/agent.ts";`],
  ["cycle", "two files that need each other's types", "storage/json.ts", `import type { A } from "./own.ts";`],
  ["cycle", "a file that imports itself", "util/a.ts", `import type { A } from "./a.ts";`],
  ["undeclared", "a package that is not declared", "util/a.ts", `import { thing } from "left-pad";`],
  ["undeclared", "a dependency that is only there for tests", "util/a.ts", `import type { ZodType } from "zod";`],
  ["undeclared", "a source that uses the test runner", "util/a.ts", `import { vi } from "vitest";`],
  ["node-prefix", "a module of Node without its prefix", "util/a.ts", `import { readFile } from "fs/promises";`],
  ["alias", "a path behind an alias", "util/a.ts", `import { thing } from "#storage/json";`],
  ["alias", "an alias of another package", "/packages/http/src/answer/a.ts", `import "#sockets";`],
  ["alias", "an absolute path", "util/a.ts", `import "/srv/thing.ts";`],
  ["undocumented", "an export without a doc comment", "util/a.ts", `// no promise\nexport const a = 1;`],
  ["environment", "a look at the environment", "keys/a.ts", `const key = () => process.env["KEY"];`],
  ["environment", "a look at the environment by its global name", "keys/a.ts", `globalThis.process.env.KEY;`],
  ["environment", "an environment taken out of the process", "keys/a.ts", `const { env } = process;`],
  ["environment", "an imported environment", "keys/a.ts", `import { env as e } from "node:process";`],
  ["bytes", "a length compared with bytes", "util/a.ts", `const fits = text.length <= maxBytes;`],
  [
    "bytes",
    "a length added to bytes",
    "util/a.ts",
    `class A { #bytes = 0; add(text: string) { this.#bytes += text.length; } }`,
  ],
  ["bytes", "a length stored as bytes", "util/a.ts", `const sizeInBytes = key.length + 2;`],
  [
    "bytes",
    "a length as the bytes of an event",
    "/apps/demo-server/src/a.ts",
    `send({ bytes: text === "" ? 0 : text.length });`,
  ],
  ["timers", "a timer thrown away", "util/a.ts", `setTimeout(() => end(), 50).unref();`],
  [
    "timers",
    "a timer that is never cleared",
    "util/a.ts",
    `class A { #timer = 0; go() { this.#timer = setTimeout(end, 50); } }`,
  ],
  ["timers", "an interval for a promise", "util/a.ts", `await new Promise((resolve) => setInterval(resolve, 5));`],
  [
    "timers",
    "another timer that is cleared",
    "util/a.ts",
    `const one = setTimeout(end, 5); const two = setTimeout(end, 5); clearTimeout(one);`,
  ],
  [
    "timers",
    "a listener that is never removed",
    "util/a.ts",
    `signal.addEventListener("abort", stop, { once: true });`,
  ],
  [
    "timers",
    "a listener that nothing can remove",
    "/packages/http/src/answer/a.ts",
    `signal.addEventListener("abort", () => stop()); signal.removeEventListener("abort", () => other());`,
  ],
  ["cuts", "a text cut to its longest", "util/a.ts", `const shown = text.slice(0, longestShown);`],
  ["cuts", "a text cut to its length with a mark", "util/a.ts", `text.substring(0, limits.maxLength - 1) + "…";`],
  ["cuts", "a text of a private package", "/internal/gemini/src/a.ts", `text.slice(2, longest + 2);`],
  ["units", "a time without a unit", "util/a.ts", `const timeout = 5000;`],
  ["units", "a moment that is named a time", "util/a.ts", `const deadline = performance.now() + 5;`],
  ["units", "a parameter without a unit", "util/a.ts", `function wait(delay: number) {}`],
  ["units", "a field without a unit", "util/a.ts", `class A { #interval: number | undefined; }`],
  ["units", "seconds compared with milliseconds", "util/a.ts", `const isOver = spentMs > limits.idleSeconds;`],
  ["units", "seconds given as milliseconds", "util/a.ts", `send({ timeoutMs: retry.afterSeconds ?? 1 });`],
  ["units", "days stored as milliseconds", "util/a.ts", `const keepMs = spentMs + maxDays;`],
  ["url-paths", "a URL's path as a file's", "util/a.ts", `read(new URL("./a.css", import.meta.url).pathname);`],
  ["url-paths", "the path of a kept URL", "util/a.ts", `const at = new URL(import.meta.url); read(at.pathname);`],
  ["url-paths", "a path taken out of a URL", "util/a.ts", `const { pathname } = new URL("a", import.meta.url);`],
  ["owner", "a user compared without its tenant", "agent/a.ts", `const is = a.userId === b.userId;`],
  ["owner", "a tenant compared apart", "agent/a.ts", `const is = tenantId !== owner.tenantId;`],
  ["owner", "a user as the key of a map", "agent/a.ts", `users.get(userId ?? "");`],
  ["owner", "a list of the parts of an owner", "agent/a.ts", `const key = JSON.stringify([tenantId ?? null, userId]);`],
  ["owner", "an owner written as JSON", "agent/a.ts", `const key = JSON.stringify(run.owner);`],
  ["owner", "parts of an owner written as JSON", "/packages/http/src/answer/a.ts", `JSON.stringify({ userId });`],
  ["owner", "a user within a text", "/apps/demo-server/src/a.ts", "const key = `user-${principal.userId}`;"],
  ["owner", "a user at the end of a text", "agent/a.ts", `const key = "user-" + userId;`],
  ["owner", "a user as the name of a member", "agent/a.ts", `const of = byUser[owner.userId];`],
  ["owner", "a user that is hashed", "agent/a.ts", `hash("sha256", userId);`],
  ["syntax", "a file that does not parse", "util/a.ts", `const = 1;`],
  [
    "edge",
    "a package that imports a neighbour",
    "/packages/http/src/answer/a.ts",
    `import type { S } from "@troupe/socket";`,
  ],
  ["edge", "a private package that imports a public one", "/internal/gemini/src/a.ts", `import "@troupe/http";`],
  ["edge", "core that imports a package", "agent/a.ts", `import { router } from "@troupe/http";`],
  [
    "own-entry-point",
    "a package that imports itself",
    "/packages/http/src/answer/a.ts",
    `import { router } from "@troupe/http";`,
  ],
  [
    "deep-path",
    "a path into core's sources",
    "/packages/http/src/answer/a.ts",
    `import "@troupe/core/src/agent/agent.ts";`,
  ],
  ["deep-path", "a path into core's build", "/packages/http/src/answer/a.ts", `import "@troupe/core/dist/index.js";`],
  ["deep-path", "a path into a package from the tests", "/tests/a.test.ts", `import "@troupe/http/src/router.ts";`],
  [
    "test-entry-point",
    "a source that imports the entry point for tests",
    "/packages/http/src/answer/a.ts",
    `import "@troupe/core/testing";`,
  ],
  ["internal", "a private package used by others", "/packages/socket/src/a.ts", `import "@troupe-internal/gemini";`],
  [
    "leaves-package",
    "a relative path into core",
    "/packages/http/src/answer/a.ts",
    `import "../../../core/src/index.ts";`,
  ],
  ["leaves-package", "a relative path from the tests", "/tests/a.test.ts", `import "../packages/http/src/router.ts";`],
  [
    "test-helper",
    "a source that rests on a test helper",
    "/packages/http/src/answer/a.ts",
    `import "../../test/help.ts";`,
  ],
];

describe("findViolations", () => {
  it("finds nothing in a sound workspace", () => {
    expect(judge()).toEqual([]);
  });

  for (const [rule, title, path, text] of violations) {
    it(`reports ${title} as ${rule}`, () => {
      const file = path.startsWith("/") ? path.slice(1) : `packages/core/src/${path}`;

      const found = judge({ [file]: text });

      expect([...new Set(found.map((violation) => `${violation.file} ${violation.rule}`))]).toEqual([
        `${file} ${rule}`,
      ]);
      expect(found[0]?.message).toMatch(/\S[:,;] \S/);
    });
  }

  it("reports the line of the import", () => {
    const [violation] = judge({ "packages/core/src/util/a.ts": `\n\nimport type { Json } from "../storage/json.ts";` });

    expect(violation).toMatchObject({ file: "packages/core/src/util/a.ts", line: 3, rule: "upward" });
    expect(violation?.message).toContain("util stands below storage");
  });

  it("reports a cycle once, as the shortest path around it", () => {
    const found = judge({
      "packages/core/src/run/a.ts": `import type { B } from "./b.ts";`,
      "packages/core/src/run/b.ts": `import type { C } from "./c.ts";`,
      "packages/core/src/run/c.ts": `import type { A } from "./a.ts";`,
    });

    const ways = found.filter(({ rule }) => rule === "cycle").map(({ message }) => message.split(":")[0]);
    expect(ways).toEqual([["a.ts", "b.ts", "c.ts", "a.ts"].map((name) => `packages/core/src/run/${name}`).join(" → ")]);
  });
});
