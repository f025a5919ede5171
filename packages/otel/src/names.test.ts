import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Recorder } from "../test/recorder.ts";
import { measureAll, over, playAll, run } from "../test/scenes.ts";
import {
  attributes,
  conventions,
  earlierAttributes,
  eventNames,
  metricDefinitions,
  operationNames,
  providerName,
  spanNames,
} from "./names.ts";

it.each([
  ["google", "gcp.gemini"],
  ["vertex", "gcp.vertex_ai"],
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
  ["watsonx", "ibm.watsonx.ai"],
  ["moonshot", "moonshot_ai"],
  ["openai", "openai"],
  ["toString", "toString"],
])("the vendor %s is called %s", (providerId, name) => {
  expect(providerName(providerId)).toBe(name);
});

/** Returns all names that telemetry has exported: of attributes, events, metrics and their labels. */
async function exportedNames(): Promise<{ attributes: Set<string>; events: Set<string>; metrics: Set<string> }> {
  const recorders = [new Recorder(), new Recorder({ captureContent: true, compat: true })];
  const found = { attributes: new Set<string>(), events: new Set<string>(), metrics: new Set<string>() };
  for (const recorder of recorders) {
    // Content is recorded within a run, because its rules are those of the run.
    const outer = recorder.telemetry.begin("run", { ...run, name: "outer" });
    outer.run(() => playAll(recorder));
    outer.end(over);
    const stop = measureAll(recorder);
    const scopes = [...(await recorder.collect()), ...(await recorder.collect())];
    stop();
    const spans = await recorder.spans();
    const events = spans.flatMap((span) => span.events);
    const metrics = scopes.flatMap((scope) => scope.metrics);
    const points = metrics.flatMap(({ dataPoints }) => dataPoints.map(({ attributes: labels }) => labels));
    const carriers = [...spans, ...events].map(({ attributes: given }) => given ?? {});
    for (const name of [...carriers, ...points].flatMap((given) => Object.keys(given))) found.attributes.add(name);
    for (const { name } of events) found.events.add(name);
    for (const { descriptor } of metrics) found.metrics.add(descriptor.name);
  }
  return found;
}

describe("the table of names", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  // Backends and dashboards know these names. If a change is meant, write the outline anew by `vitest --update`.
  it("is this one, of this version of the conventions", async () => {
    const lines = (title: string, names: object) => [
      title,
      ...Object.values(names).map(
        (name) => `  ${typeof name === "string" ? name : Object.values(name as object).join(" | ")}`,
      ),
    ];
    const table = [
      lines("conventions", conventions),
      lines("operations", operationNames),
      lines("spans", spanNames),
      lines("attributes", attributes),
      lines("earlier attributes", earlierAttributes),
      lines("events", eventNames),
      lines("metrics", metricDefinitions),
    ].flat();

    await expect(`${table.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/names.txt");
  });

  it("has every name that is exported, and no other", async () => {
    const exported = await exportedNames();
    const sorted = (names: Iterable<string>) => [...names].toSorted();

    expect(sorted(exported.attributes)).toEqual(
      sorted([...Object.values(attributes), ...Object.values(earlierAttributes)]),
    );
    expect(sorted(exported.events)).toEqual(sorted(Object.values(eventNames)));
    expect(sorted(exported.metrics)).toEqual(sorted(Object.values(metricDefinitions).map(({ name }) => name)));
  });

  it("gives each metric a unit and a sentence that describes it", () => {
    for (const { name, unit, description } of Object.values(metricDefinitions)) {
      expect([name, unit, description]).toEqual([
        expect.stringMatching(/^[a-z_0-9]+(\.[a-z_0-9]+)+$/),
        expect.stringMatching(/^(s|\{[a-z]+\})$/),
        expect.stringMatching(/^[A-Z0-9].{10,}\.$/),
      ]);
    }
  });

  it("is the only file of the package with such a name in it", () => {
    const table = [operationNames, attributes, earlierAttributes, eventNames].flatMap((names) => Object.values(names));
    const metrics = Object.values(metricDefinitions).map(({ name }) => name);
    const names = [...table, ...metrics, ...Object.values(conventions)].filter((name) => /[._]/.test(name));
    const files = readdirSync(import.meta.dirname).filter((file) => /^(?!.*\.test).*\.ts$/.test(file));
    const others = files.filter((file) => file !== "names.ts");
    const isElsewhere = (name: string) =>
      others.filter((file) => readFileSync(join(import.meta.dirname, file), "utf8").includes(`"${name}"`));

    expect(others.length).toBeGreaterThan(5);
    expect(names.flatMap((name) => isElsewhere(name).map((file) => `${name} in ${file}`))).toEqual([]);
    // The measurement of a session has such a name in core.
    const pattern = /"(?!mcp\.session")(gen_ai|mcp|troupe|nodejs|jsonrpc|network|server|error)\.[a-z_.\d]+"/;
    for (const file of others) expect(readFileSync(join(import.meta.dirname, file), "utf8")).not.toMatch(pattern);
  });
});
