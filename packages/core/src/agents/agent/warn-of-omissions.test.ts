import { describe, expect, it, vi } from "vitest";
import type { RequestOmission } from "../../model/omission.ts";
import type { Run } from "../run/run.ts";
import { warnOfOmissions } from "./warn-of-omissions.ts";

const seed: RequestOmission = { what: "seed", reason: "it takes none", providerId: "v", modelId: "m" };
const audio: RequestOmission = { ...seed, what: "audio", isInMessages: true };

/** The reports of one run of an agent, and the warnings of the run. */
function runOf(told = new Set<string>()) {
  const warn = vi.fn<Run["warn"]>();
  return { report: warnOfOmissions({ warn }, told), warn, told };
}

const messagesOf = ({ warn }: ReturnType<typeof runOf>) => warn.mock.calls.map(([, message]) => message);

describe("warnOfOmissions", () => {
  it.each([
    ["it takes none", "it takes none."],
    ["it takes none.", "it takes none."],
    ["it takes 0.5 at most", "it takes 0.5 at most."],
  ])("warns with one full stop: %s", (reason, end) => {
    const run = runOf();
    run.report({ ...seed, reason });

    expect(run.warn.mock.calls).toEqual([
      ["omitted_for_model", `seed was left out of a request to v/m: ${end}`, { vendor: "v", model: "m" }],
    ]);
  });

  it("warns of an option once for the agent, and of a part of messages once in each run", () => {
    const one = runOf();
    const other = runOf(one.told);
    for (const run of [one, one, other]) for (const omission of [seed, audio, seed, audio]) run.report(omission);

    expect(messagesOf(one)).toEqual([
      "seed was left out of a request to v/m: it takes none.",
      "audio was left out of a request to v/m: it takes none.",
    ]);
    expect(messagesOf(other)).toEqual(["audio was left out of a request to v/m: it takes none."]);
    expect(one.told.size).toBe(1);
  });

  it.each<[more: Partial<RequestOmission>]>([
    [{ what: "topP" }],
    [{ reason: "no" }],
    [{ modelId: "n" }],
    [{ providerId: "w" }],
  ])("tells apart what differs by %j", (more) => {
    const run = runOf();
    run.report(seed);
    run.report({ ...seed, ...more });

    expect(run.warn).toHaveBeenCalledTimes(2);
  });

  it("remembers a thousand, and then begins anew", () => {
    const run = runOf();
    const report = (index: number) => run.report({ ...seed, what: `option ${index}` });
    for (let index = 0; index < 1000; index++) report(index);
    report(0);
    expect(run.warn).toHaveBeenCalledTimes(1000);
    report(1000);
    report(1000);
    report(0);

    expect(run.warn).toHaveBeenCalledTimes(1002);
    expect(run.told.size).toBe(2);
  });
});
