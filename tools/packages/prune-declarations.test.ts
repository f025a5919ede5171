import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { unreachedDeclarations } from "./prune-declarations.ts";

it("unreachedDeclarations names the declarations that no import leads to from an entry point", () => {
  const dist = mkdtempSync(join(tmpdir(), "troupe-declarations-"));
  onTestFinished(() => rmSync(dist, { recursive: true }));
  const files = {
    "index.d.ts": 'export { A } from "./a.ts";\nexport type { B } from "./in/b.ts";\n',
    "a.d.ts": 'export declare const A: import("./d.ts").D;\n',
    "in/b.d.ts": 'import type { C } from "../c.js";\nexport type B = C;\n',
    "c.d.ts": 'import type { B } from "./in/b.ts";\nimport { Other } from "other";\nexport type C = B | Other;\n',
    "d.d.ts": "export type D = 1;\n",
    "in/driver.d.ts": 'import type { Hidden } from "@troupe-internal/hidden";\nexport type Driver = Hidden;\n',
    "in/index.d.ts": 'import type { Driver } from "./driver.ts";\n',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    writeFileSync(join(dist, file), text);
  }

  expect(unreachedDeclarations(dist, ["index.d.ts"]).toSorted()).toEqual(["in/driver.d.ts", "in/index.d.ts"]);
});
