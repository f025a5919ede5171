import { checkConformance, toolSourceCases } from "@troupe/core/testing";
import type { ToolSourceSubject } from "@troupe/core/testing";
import { credentialCases } from "./credential-cases.ts";
import { failureCases } from "./failure-cases.ts";
import { FakeService } from "./fake-service.ts";
import { toolCases } from "./tool-cases.ts";
import type { ToolkitSubject } from "./toolkit-subject.ts";
import { canary, ToolkitTrial } from "./toolkit-trial.ts";

/**
 * Declares a test. `concurrent` declares a test that may run beside others, which makes the suite several times faster.
 */
type DeclareTest = {
  (title: string, body: () => Promise<void>): unknown;
  readonly concurrent?: (title: string, body: () => Promise<void>) => unknown;
};

/**
 * Declares all tests that every toolkit must pass: core's suite of tool sources with each of its tools, its schemas,
 * its use by an agent, ugly answers, silence and aborts. Its credential must never appear. `it` is that of vitest.
 */
export function toolkitSuite(it: DeclareTest, subject: ToolkitSubject): void {
  const { concurrent = it } = it;
  const trial = {
    create: async () => await ToolkitTrial.start(subject),
    dispose: async (each: ToolkitTrial) => await each.close(),
  };
  const own = { ...toolCases, ...failureCases };
  const alone = credentialCases(subject);
  const { knownGaps = {} } = subject;
  const gapsOf = (cases: object) =>
    Object.fromEntries(Object.entries(knownGaps).filter(([title]) => Object.hasOwn(cases, title)));
  const strays = Object.keys(knownGaps).filter((title) => !Object.hasOwn({ ...own, ...alone }, title));
  if (strays.length > 0) throw new Error(`knownGaps names no case of the suite: ${strays.join(" · ")}.`);
  for (const tool of Object.keys(subject.tools)) {
    checkConformance((title, body) => concurrent(`${tool}: ${title}`, body), toolSourceCases, {
      create: async () => await createSource(subject, tool),
      dispose: async (each) => await each.end(),
    });
  }
  checkConformance(concurrent, own, { ...trial, knownGaps: gapsOf(own) });
  checkConformance(it, alone, { ...trial, knownGaps: gapsOf(alone) });
}

/** Creates a toolkit whose service answers calls of one tool, and is silent for another argument object. */
async function createSource(
  subject: ToolkitSubject,
  tool: string,
): Promise<ToolSourceSubject & { end(): Promise<void> }> {
  const service = await FakeService.start();
  const sample = subject.tools[tool];
  if (sample === undefined) throw new Error(`The subject has no tool ${tool}.`);
  service.answer(sample.answer);
  const source = subject.connect({ baseURL: service.url, ...(subject.credential && { credential: canary }) });
  const call = { tool, args: structuredClone(sample.args) };
  return {
    source,
    call,
    get endlessCall() {
      // Called by the only case that aborts a call.
      service.answer({ delivery: { fault: { kind: "hang", at: "before-headers" } } });
      return call;
    },
    end: async () => await service.close(),
  };
}
