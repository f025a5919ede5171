import { checkConformance, modelProviderCases, configuredApiKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { scenarioReply } from "../scenario-reply.ts";
import { connectionCases, lonelyConnectionCases } from "./connection-cases.ts";
import { environmentCases } from "./environment-cases.ts";
import { failureCases } from "./failure-cases.ts";
import { historyCases } from "./history-cases.ts";
import { keyCases } from "./key-cases.ts";
import { optionCases } from "./option-cases.ts";
import type { ProviderSubject } from "./provider-subject.ts";
import { ProviderTrial, startVendor } from "./provider-trial.ts";
import type { ProviderCases } from "./provider-trial.ts";
import { transcriptCases } from "./transcript-cases.ts";

/**
 * Declares a test. `concurrent` declares a test that may run beside others, which makes the suite several times faster.
 */
type DeclareTest = {
  (title: string, body: () => Promise<void>): unknown;
  readonly concurrent?: (title: string, body: () => Promise<void>) => unknown;
};

/**
 * Declares all tests that every provider must pass: core's suite for each of its models, recorded answers, failures,
 * keys, connections and histories, against a strict fake of its vendor. `it` is that of vitest.
 */
export function providerSuite(it: DeclareTest, subject: ProviderSubject): void {
  const { concurrent = it } = it;
  const cases = providerCases(subject);
  const alone = { ...environmentCases(subject), ...lonelyConnectionCases };
  const [core, own, environment] = splitGaps(subject.knownGaps, [modelProviderCases, cases, alone]);
  for (const modelId of subject.models) {
    checkConformance((title, body) => concurrent(`${modelId} ${title}`, body), modelProviderCases, {
      create: async () => await createModelSubject(subject, modelId),
      dispose: async (each) => await each.close(),
      ...(core && { knownGaps: core }),
    });
  }
  const trial = {
    create: async () => await ProviderTrial.start(subject),
    dispose: async (each: ProviderTrial) => await each.close(),
  };
  checkConformance(concurrent, cases, { ...trial, ...(own && { knownGaps: own }) });
  checkConformance(it, alone, { ...trial, ...(environment && { knownGaps: environment }) });
}

function providerCases(subject: ProviderSubject): ProviderCases {
  return {
    ...transcriptCases(subject),
    ...failureCases(subject),
    ...keyCases,
    ...optionCases,
    ...connectionCases,
    ...historyCases,
  };
}

/** Splits the known gaps by suite. Unknown ones go to the last suite, which refuses them. */
function splitGaps(
  gaps: Readonly<Record<string, string>> = {},
  suites: readonly object[],
): (Record<string, string> | undefined)[] {
  return suites.map((cases, index) => {
    const isLast = index === suites.length - 1;
    const isElsewhere = (title: string) => suites.slice(0, -1).some((other) => Object.hasOwn(other, title));
    const entries = Object.entries(gaps).filter(([title]) =>
      isLast ? !isElsewhere(title) : Object.hasOwn(cases, title),
    );
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  });
}

/** Creates a strict vendor and the models that call it, for core's suite. */
async function createModelSubject(
  subject: ProviderSubject,
  modelId: string,
): Promise<ModelProviderSubject & { close(): Promise<void> }> {
  const vendor = await startVendor(subject);
  return {
    provider({ idleTimeoutMs, ...scenario }) {
      vendor.plan(scenarioReply(scenario, subject));
      const idle = idleTimeoutMs === undefined ? {} : { idleTimeoutMs };
      return subject.connect(vendor.url, { modelId, apiKey: configuredApiKey, ...idle });
    },
    requests: () => vendor.exchanges,
    close: async () => await vendor.close(),
  };
}
