import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the watchdog names the test and the hook of a run that hang, before they time out, and no others", () => {
  const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
  const root = fileURLToPath(new URL("__fixtures__", import.meta.url));
  const { stderr } = spawnSync(process.execPath, [vitest, "run", "--root", root], { encoding: "utf8" });

  const named = stderr.split("\n").filter((line) => line.startsWith("Still running"));
  expect(named).toEqual([
    expect.stringMatching(/^Still running after 0\.2 s: hanging\.ts > a group > hangs\./),
    expect.stringMatching(/^Still running after 0\.2 s: \S+hanging\.ts, a hook outside of its tests\./),
  ]);
  expect(stderr).toContain("Test timed out in 1000ms");
});
