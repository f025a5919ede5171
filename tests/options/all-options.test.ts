import { expect, it } from "vitest";
import { callingSubjects } from "./calling-subjects.ts";
import { coreSubjects } from "./core-subjects.ts";
import { pageSubjects } from "./page-subjects.ts";
import { protocolSubjects, serviceSubjects } from "./service-subjects.ts";
import { referenceTypes } from "./subject.ts";

/** Options that no subject has, with the reason. */
const elsewhere: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^providers-/, "the suite of providers gives all options as undefined"],
  [/^client /, "packages/client/src/left-out-options.test.ts"],
  [/^(storage|vector|engine)-/, "a table reads them, and nothing else; their servers are not here"],
  [/^(toolkits-|readers |otel )/, "a table reads them, and nothing else"],
  [/^create-troupe /, "a command line gives them"],
  [/^core (Embed|ModelConfig|ModelOptions|ModelProvider|Network)/, "providers read them"],
  [/^core (Close|EngineServe|RunServe|Signal|Sync|Page)Options$/, "options of one call, without defaults of objects"],
  [/^core (HostRunOptions|ToolCacheConfig)$/, "a host's function or a tool gives them"],
];

it("each list of options in the reference has a subject, or stands here with the reason", () => {
  const subjects = [...coreSubjects, ...serviceSubjects, ...protocolSubjects, ...pageSubjects, ...callingSubjects];
  const covered = new Set(subjects.map(({ page, type }) => `${page} ${type}`));
  const types = referenceTypes();
  const left = types.filter((type) => !covered.has(type));

  expect(left.filter((type) => !elsewhere.some(([pattern]) => pattern.test(type)))).toEqual([]);
  expect([...covered].filter((type) => !types.includes(type))).toEqual([]);
});
