import { describe, expect, it, vi } from "vitest";
import { acceptRequestedRun, toScheduledRequest } from "./accept-requested-run.ts";
import type { AnyRequestedRun, ProtocolRunOptions } from "./accept-requested-run.ts";

type Option = Exclude<keyof AnyRequestedRun["opts"], "model" | "tools" | "parent" | "isNewSession">;
type Term = Exclude<keyof ProtocolRunOptions, "kind" | "name" | "isStored" | "isOwn" | "endsWithClient">;

/** A value for each option of a run that a transport may request, by which the option is found again. */
const everyOption = {
  runId: {},
  sessionId: {},
  userId: {},
  tenantId: {},
  verified: {},
  apiKey: {},
  apiKeys: {},
  metadata: {},
  messages: {},
  limits: {},
  modelOptions: {},
  instructions: {},
  additions: {},
  isUnstored: {},
  continueFrom: {},
  fromOutside: {},
  telemetry: {},
} satisfies Record<Option, object>;

/** A value for each option of a protocol that the run's service receives. */
const everyTerm = {
  key: {},
  said: {},
  mustExist: {},
  note: {},
  ttlMs: {},
  beforeStored: {},
} satisfies Record<Term, object>;

const requested = { input: {}, opts: everyOption, owner: {}, address: {} } as unknown as AnyRequestedRun;

/** Returns what a service receives for a requested run: the values of the request, and those one level below. */
async function valuesFor(target: object): Promise<unknown[]> {
  const accept = vi.fn<(request: object) => Promise<object>>(async () => ({ runId: "r", isNew: false }));
  const activeRuns = { checkOpen: () => undefined };
  const whole = { kind: "agent", name: "a", service: { accept }, ...target };
  await acceptRequestedRun(requested, whole as never, activeRuns as never);
  return valuesIn(accept.mock.calls[0]?.[0] ?? {});
}

function valuesIn(request: object): unknown[] {
  return Object.values(request).flatMap((value) => [value, ...Object.values(Object(value) as object)]);
}

describe.each([true, false])("a requested run that is durable: %s", (isDurable) => {
  it.each(Object.entries(everyOption))("passes its option %s on to its service", async (_name, value) => {
    expect(await valuesFor({ isDurable })).toContain(value);
  });

  it.each(Object.entries(everyTerm))("passes the protocol's option %s on to its service", async (_name, value) => {
    expect(await valuesFor({ isDurable, ...everyTerm })).toContain(value);
  });

  it("passes its input and the address of its client on to its service", async () => {
    const { input, address } = requested;
    expect(await valuesFor({ isDurable })).toEqual(expect.arrayContaining([input, address]));
  });
});

it("the request of a schedule has the options that each of its runs repeats, and no others", () => {
  const values = valuesIn(toScheduledRequest(requested, { kind: "agent", name: "a" }));
  const kept = Object.entries(everyOption).flatMap(([name, value]) => (values.includes(value) ? [name] : []));
  expect(kept).toEqual(["sessionId", "metadata", "messages", "limits", "modelOptions", "instructions", "fromOutside"]);
  expect(values).toContain(requested.input);
});

it.each([
  ["have a session each where its request names none", true],
  ["share the session that its request names", false],
])("the runs of a schedule %s", (_what, isNewSession) => {
  const named = { ...requested, opts: { ...everyOption, isNewSession } } as unknown as AnyRequestedRun;
  const { options } = toScheduledRequest(named, { kind: "agent", name: "a" });
  expect(Object.hasOwn(options ?? {}, "sessionId")).toBe(!isNewSession);
});
