import type { Json, MessageContent } from "@troupe/core";
import { getTextContent } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { Exchange, ServedStoredRun } from "@troupe/core/transport";
import type { ToolOutput } from "../request/conversation.ts";
import type { ApprovalAnswer } from "../request/response-request.ts";
import { apiError, wrongField } from "../wire/api-error.ts";
import { parseCallId } from "../wire/ids.ts";
import type { ApiParts } from "./api-parts.ts";
import type { PartStart } from "./part-events.ts";
import type { AskedCall } from "./calls.ts";
import { askedCalls, readParts } from "./run-parts.ts";
import type { StoredPart } from "./run-parts.ts";

/** The answers of a client: results of its tools, and approvals. */
export type ClientAnswers = {
  readonly outputs: readonly ToolOutput[];
  readonly approvals: readonly ApprovalAnswer[];
};

/**
 * A run that continues with its client's answers, and the position in its events after these answers. The response
 * begins at this position.
 */
export type ContinuedRun = {
  readonly run: ServedStoredRun;
  readonly view: RunView;
  readonly part: number;
  readonly start: PartStart;
  readonly asked: ReadonlyMap<string, AskedCall>;
  /** The parts of the run before the answers. */
  readonly before: readonly StoredPart[];
};

type Answer = { readonly runId: string; readonly waitId: string; readonly answer: Json; readonly param: string };

/**
 * Gives a waiting run the answers of its client. Returns the run and the position in its events after the answers.
 * Accepts the same answers again, because a client repeats a request whose response was lost. Throws `invalid_request`
 * if an answer is missing, and `not_found` for a call of another caller's run.
 */
export async function continueRun(
  exchange: Exchange,
  { service }: ApiParts,
  { endsWithClient, ...given }: ClientAnswers & { readonly endsWithClient: boolean },
): Promise<ContinuedRun> {
  const answers = readAnswers(given);
  const [first] = answers;
  if (first === undefined) throw wrongField("input", "must have an item.");
  const other = answers.find(({ runId }) => runId !== first.runId);
  if (other !== undefined) throw wrongField(other.param, "must answer calls of one response alone.");
  const caller = exchange.principal ?? {};
  const { run, view } = await service.servedRuns.find(first.runId, caller, { endsWithClient });
  const parts = await readParts(run);
  const asked = parts.findIndex(({ waitIds }) => waitIds.includes(first.waitId));
  const part = parts[asked];
  if (part === undefined) throw unknownCall(first.param);
  checkAnswers(view, answers);
  if (view.status === "waiting" && asked === parts.length - 1) {
    for (const { waitId, answer } of answers) await service.servedRuns.answer(run.runId, { waitId, answer, caller });
  }
  const before = parts.slice(0, asked + 1);
  return {
    run,
    view,
    part: asked + 1,
    asked: askedCalls(before),
    before,
    start: { after: part.events.at(-1)?.id, attempts: part.attempts },
  };
}

/** Returns true if a request answers tool calls or requests for approval of this service. */
export function isAnswering({ outputs, approvals }: ClientAnswers): boolean {
  const ids = outputs.map(({ callId }) => parseCallId(callId));
  return approvals.length > 0 || (ids.length > 0 && ids.every((id) => id !== undefined));
}

function readAnswers({ outputs, approvals }: ClientAnswers): Answer[] {
  return [
    ...outputs.map(({ callId, output, param }): Answer => {
      return { ...(parseCallId(callId) ?? noCall(param)), answer: { result: toResult(output) }, param };
    }),
    ...approvals.map(({ requestId, isApproved, reason, param }): Answer => {
      const answer = { approved: isApproved, ...(reason !== undefined && { reason }) };
      return { ...(parseCallId(requestId, "mcpr_") ?? noCall(param)), answer, param };
    }),
  ];
}

function checkAnswers({ status, waits = [] }: RunView, answers: readonly Answer[]): void {
  if (status !== "waiting") return;
  const open = waits.filter(({ kind }) => kind === "input" || kind === "approval");
  const isRepeated = answers.every(({ waitId }) => !open.some(({ id }) => id === waitId));
  const missing = open.find(({ id }) => answers.every(({ waitId }) => waitId !== id));
  if (missing === undefined || isRepeated) return;
  const message =
    "The request must answer all calls of the response: the result of a tool, or an approval, is missing.";
  // The error names the field with the first answer: `input` or `messages`, depending on the API.
  const [param] = answers.map((answer) => answer.param.replace(/\[.*$/, ""));
  throw apiError("invalid_request", message, { param, code: "missing_tool_output" });
}

/** Returns the content of a tool result for the model. Parts that are all text become one string. */
function toResult(output: MessageContent): Json {
  return typeof output === "string"
    ? output
    : output.every(({ type }) => type === "text")
      ? getTextContent(output)
      : output;
}

function noCall(param: string): never {
  throw unknownCall(param);
}

function unknownCall(param: string) {
  const message = `${param} answers a call that no run of yours waits for.`;
  return apiError("not_found", message, { param, code: "tool_call_not_found" });
}
