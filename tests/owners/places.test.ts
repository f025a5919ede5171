import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** The imports with which a file compares owners, makes a key of an owner, or holds something for each owner. */
const means =
  /\b(ownerKey|ownerOfKey|userOfKey|isSameTenant|ownerPrefix|sessionKey|sessionRef|countedCaller|CallerHoldings|OwnerKey|CallerKey)\b/;

/** Files whose handling of owners a neighbour's scene shows, and those that only hand on what another file has made. */
const shownElsewhere: Record<string, string> = {
  "packages/core/src/sessions/storage/owner-key.ts": "packages/core/src/sessions/session/session-keys.test.ts",
  "packages/core/src/sessions/storage/bounded-storage.ts":
    "packages/core/src/sessions/storage/bounded-storage.owners.test.ts",
  "packages/core/src/sessions/storage/session-of-record.ts":
    "packages/core/src/sessions/storage/bounded-storage.owners.test.ts",
  "packages/core/src/transport/request/principal.ts": "tests/owners/agents.owners.test.ts",
  "packages/socket/src/socket-client.ts": "packages/socket/src/owners.test.ts",
  "packages/socket/src/connection-buffer.ts": "packages/socket/src/owners.test.ts",
  "packages/socket/src/send-budget.ts": "packages/socket/src/owners.test.ts",
  "packages/core/src/transport/runs/open-shares.ts": "packages/core/src/transport/runs/open-shares.test.ts",
  "packages/core/src/runs/record/run-lists.ts": "packages/core/src/runs/service/shared-admission.test.ts",
};

/** The files that import one of the means, in any form: entry points only pass them on. */
function filesWithOwners(): string[] {
  const files = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root });
  return files
    .filter((file) => !/\.test\.ts$|\/testing\/|\/test\/|src\/(index|adapter)\.ts$/.test(file))
    .filter((file) => {
      const imports = readFileSync(join(root, file), "utf8").match(/^import [^;]*;/gm) ?? [];
      return imports.some((text) => means.test(text));
    });
}

/** The files that scenes of owners name. */
function filesShown(): Set<string> {
  const scenes = globSync("{packages,apps,tests}/**/*owners.test.ts", {
    cwd: root,
    exclude: (name) => name.includes("node_modules"),
  });
  const texts = scenes.map((file) => readFileSync(join(root, file), "utf8"));
  return new Set(texts.flatMap((text) => text.match(/(?<=")packages\/[\w/.-]+\.ts(?=")/g) ?? []));
}

it("each file that compares owners, or holds something for each, is shown by a scene of several owners", () => {
  const shown = filesShown();
  const missing = filesWithOwners().filter((file) => !shown.has(file) && shownElsewhere[file] === undefined);

  expect(missing, "Add a scene with checkOwners that shows it, in an owners.test.ts.").toEqual([]);
});

it("each scene names files that handle owners", () => {
  const files = new Set(filesWithOwners());
  const stale = [...filesShown(), ...Object.keys(shownElsewhere)].filter((file) => {
    return !files.has(file) && !file.includes("/storage/owner-key.ts") && !isFile(file);
  });

  expect(stale).toEqual([]);
});

function isFile(file: string): boolean {
  return globSync(file, { cwd: root }).length === 1;
}
