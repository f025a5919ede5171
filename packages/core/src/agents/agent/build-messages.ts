import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { repairHistory } from "../../sessions/history/repair-history.ts";
import { trimHistory } from "../../sessions/history/trim-history.ts";
import type { HistoryLimits } from "../../sessions/history/trim-history.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { Run } from "../run/run.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import { turnModelMessages } from "../../sessions/session/turn-record.ts";
import type { AgentConfig } from "./agent-config.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { RunContext } from "../run/run-context.ts";

import { factOwnerId } from "../memory/agent-user-memory.ts";
import { observeMemory } from "../memory/observe-memory.ts";
import type { AgentUserMemory } from "../memory/agent-user-memory.ts";
import { historyFiller } from "./fill-history.ts";
import type { FillMessages } from "./fill-history.ts";
import { systemMessages } from "./system-prompt.ts";
import type { SystemPrompt } from "./system-prompt.ts";
import type { RememberedHistory, SessionMemory } from "./session-memory.ts";

/** The default number of past turns that a model gets, so that no session outgrows the model's context. */
const defaultHistoryRuns = 50;

/** The open session of a run, and the memory that replaces the session's turns, if the agent has a memory. */
type Past = { session: OpenSession; memory: SessionMemory | undefined };

/** Instructions of one run, which replace the configured instructions. */
type OwnInstructions = { instructions: string | undefined };

/** The messages of the past turns, and the memory's text for the system prompt. */
type History = { messages: readonly ChatMessage[]; memoryText: string };

const noHistory: History = { messages: [], memoryText: "" };

/**
 * The messages of a run before its first model call, with the input as the last message, and the parts of their system
 * prompt. Also the function that reads images, audio and files of the history that are stored outside the turns.
 */
export type BuiltMessages = {
  readonly messages: readonly ChatMessage[];
  readonly prompt: SystemPrompt;
  readonly fillMessages: FillMessages | undefined;
};

/** Builds the messages of the first model call: the system prompt, the history, and the input. */
export async function buildMessages(parts: AgentParts, run: Run, past: Past & OwnInstructions): Promise<BuiltMessages> {
  const { config } = parts;
  const { userMemory } = config;
  const instructions = past.instructions ?? config.instructions ?? "";
  const [ownPrompt, history, facts] = await Promise.all([
    typeof instructions === "string" ? instructions : makeInstructions(instructions, run),
    loadHistory(config, run, past),
    userMemory === undefined ? "" : loadFacts(userMemory, run),
  ]);
  const ofCaller = run.settings.additions?.instructions ?? "";
  const additions = [history.memoryText, facts, ofCaller].filter((text) => text !== "").join("\n\n");
  const prompt = { instructions: ownPrompt, additions };
  const input: ChatMessage = { role: "user", content: run.input };
  const fillMessages = historyFiller(history.messages, (part) => past.session.loadPart(part, run.signal));
  return { messages: [...systemMessages(prompt), ...history.messages, input], prompt, fillMessages };
}

async function loadHistory(config: AgentConfig, run: Run, { session, memory }: Past): Promise<History> {
  const { addHistoryToMessages = true, numHistoryRuns } = config;
  // The memory is recalled even if the model gets no history, because recalling also adds turns that the memory has
  // missed.
  const recalled = memory && (await memory.recall(session));
  if (!addHistoryToMessages) return noHistory;
  const { messages: given } = run.settings;
  if (recalled !== undefined && given === undefined) {
    const { context, messages } = recalled;
    return { messages: trimHistory(messages, memoryLimits(recalled, numHistoryRuns)), memoryText: context };
  }
  const [maxTurns, isExact] = [numHistoryRuns ?? defaultHistoryRuns, numHistoryRuns !== undefined];
  if (given !== undefined) {
    const messages = repairHistory(given.map(withoutVendorState));
    return { messages: trimHistory(messages, { maxTurns, isExact }), memoryText: "" };
  }
  const turns = await session.loadTurnsWithoutData(maxTurns, run.signal);
  if (turns.length === 0) return noHistory;
  const messages = repairHistory(turnModelMessages(turns));
  return { messages: trimHistory(messages, { maxTurns, isExact, lastTurn: turns.at(-1)?.seq }), memoryText: "" };
}

/**
 * Returns the limits of a history that comes from a memory: the number of its turns if the agent's `maxTurns` is
 * smaller. Otherwise the history begins at a block of turns: the memory drops its oldest turn with each new turn, and a
 * history that began at another turn in each run would match no prompt cache of a vendor. If the memory returned
 * summaries (`context`), no turns are omitted. If the memory does not number turns, `through` is 0 or the maximum
 * number, and its history has no limits.
 */
function memoryLimits({ context, messages, through }: RememberedHistory, maxTurns: number | undefined): HistoryLimits {
  const kept = messages.filter(({ role }) => role === "user").length;
  if (maxTurns !== undefined && maxTurns < kept) return { maxTurns, isExact: true };
  if (through <= 0 || through >= Number.MAX_SAFE_INTEGER) return {};
  return context === "" ? { maxTurns: kept, lastTurn: through } : { lastTurn: through };
}

const noUserId = "it has no userId. Pass userId in the options of the run, or set it on the agent.";

async function loadFacts(userMemory: AgentUserMemory, run: Run): Promise<string> {
  const { settings, signal } = run;
  const { userId, tenantId, verified } = settings;
  if (userId === undefined) {
    // A run that a transport starts for a client may legitimately have no user.
    if (!settings.fromOutside) run.warn("user_id_missing", `userMemory has no effect in this run: ${noUserId}`);
    return "";
  }
  const scope = { tenantId, verified, signal };
  const load = async () => await userMemory.getContextString(factOwnerId(userMemory, userId, scope), scope);
  const { telemetry } = settings;
  const read =
    telemetry === undefined
      ? load
      : async () => await observeMemory(telemetry, { action: "search", store: "facts" }, load);
  const facts: unknown = await untilAborted(read, signal);
  if (typeof facts === "string") return facts;
  throw new TroupeError(
    "invalid_value",
    "The user memory's getContextString must return a string, or a promise of it.",
  );
}

async function makeInstructions(make: (context: RunContext) => string | Promise<string>, run: Run): Promise<string> {
  try {
    const made: unknown = await make(run.context);
    // A function `instructions` in plain JavaScript may return undefined.
    return typeof made === "string" ? made : [made].join("");
  } catch (error) {
    throw toTroupeError(error, run.signal, "The function instructions");
  }
}
