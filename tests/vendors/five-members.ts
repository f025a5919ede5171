import { inspect } from "node:util";
import { dumpStorage } from "@troupe-internal/run-checker";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";
import { Agent, createLogger, EventBus, InMemoryStorage, Team } from "@troupe/core";
import type { AgentConfig, RunOpts, TeamMode } from "@troupe/core";
import { onTestFinished, vi } from "vitest";
import { connect, vendorNames } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

/** A team of five vendors, and all traces of its runs. */
export type FiveMembers = {
  vendor: FakeVendor;
  /** Runs the team once. Its output or error is part of the traces. */
  run(opts: RunOpts): Promise<void>;
  /** Returns everything that was logged, emitted, returned to the caller and stored, as one string. */
  traces(): Promise<string>;
};

/** Mode of the team, and the vendor of its orchestrator. */
export type Lead = { mode: TeamMode; orchestrator: VendorName };

const events = ["run.start", "run.complete", "run.error", "run.stream.chunk", "tool.call", "tool.result"] as const;

/** Returns the key in the options of a provider. */
export const serverKey = (name: VendorName): string => `server-key-of-${name}`;

/** Starts a team with a member for each vendor, all of them with full logging and events. */
export async function startFive({ mode, orchestrator }: Lead): Promise<FiveMembers> {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const seen: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => seen.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  const storage = new InMemoryStorage();
  const eventBus = new EventBus();
  for (const name of events) eventBus.on(name, (data) => void seen.push(inspect(data, { depth: 8 })));
  const logger = createLogger({ level: "debug", write: (line) => seen.push(line) });
  const modelOf = (name: VendorName) => connect[name](vendor.url, { apiKey: serverKey(name), logger });
  const more = { storage, eventBus, logLevel: "debug", retry: { maxRetries: 0 } } satisfies Partial<AgentConfig>;
  // Settings that some vendors do not take, so that they warn.
  const odd = { temperature: 0.5, reasoning: { enabled: true, effort: "low", budgetTokens: 1024 } } as const;
  const members = vendorNames.map((name) => new Agent({ name, model: modelOf(name), ...odd, ...more }));
  const team = new Team({
    name: "five",
    mode,
    model: modelOf(orchestrator),
    members,
    memberSessions: "persist",
    ...more,
  });
  return {
    vendor,
    run: async (opts) => {
      const output = await team
        .stream("Umbrella?", { sessionId: "s1", ...opts })
        .output.catch((error: unknown) => error);
      seen.push(inspect(output, { depth: 8 }));
    },
    traces: async () => [...seen, JSON.stringify(await dumpStorage(storage))].join("\n"),
  };
}

/** Returns the first answers of an orchestrator, by which all members work, or the one that is picked. */
export function opening(mode: TeamMode, picked: VendorName): PlannedReply[] {
  if (mode === "route") return [{ answer: { structured: { member: picked } } }];
  if (mode !== "coordinate") return [];
  const toolCalls = vendorNames.map((name) => ({ name: `delegate_to_${name}`, arguments: { task: "Look." } }));
  return [{ answer: { toolCalls } }];
}

/** An answer that serves as contribution, vote and report. */
export const agrees: PlannedReply = { answer: '{"agree": true}' };

/** Returns the failure of a vendor that refuses a key, and quotes it. */
export function quoted({ key }: Exchange): PlannedReply {
  return { failure: { status: 401, message: `Incorrect API key provided: ${key}.` } };
}
