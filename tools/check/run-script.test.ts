import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runScript } from "./run-script.ts";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "troupe-script-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(scripts: Record<string, string>): void {
  writeFileSync(join(root, "package.json"), JSON.stringify({ scripts }));
}

describe("runScript", () => {
  it("gives all that the script said, and its exit code", async () => {
    write({ speak: "echo one && echo two >&2 && exit 3 #" });

    expect(await runScript("speak", { root })).toEqual({ code: 3, output: "one\ntwo\n" });
  });

  it("hands over arguments and environment", async () => {
    write({ greet: 'echo "$GREETING"' });

    expect(await runScript("greet", { root, args: ["you"], env: { GREETING: "hello" } })).toEqual({
      code: 0,
      output: "hello you\n",
    });
  });

  it("ends what the script started when it is told to", async () => {
    write({ wait: "sleep 60 & sleep 60; echo never" });
    const abort = new AbortController();
    const ended = runScript("wait", { root, signal: abort.signal });

    abort.abort();

    // The output closes only when everybody who could write to it is gone.
    expect(await ended).toEqual({ code: 1, output: "" });
  });

  it("names a script that is not there", async () => {
    write({});

    await expect(runScript("tset", { root })).rejects.toThrow('no script "tset"');
  });
});
