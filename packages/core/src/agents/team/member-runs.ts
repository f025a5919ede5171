import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { WrapperError } from "../../base/errors/wrapper-error.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import { UsageMeter, countUnmeteredUsage } from "../run/usage-meter.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { RunOutput } from "../run/run-output.ts";
import { deriveContext, meterOf, stepsOf, telemetryOf } from "../run/derive-context.ts";
import type { OpenStep, RunSteps } from "../run/run-steps.ts";
import type { Run } from "../run/run.ts";
import { memberSessionId } from "../../sessions/session/session-id.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { isTextChunk, ShownChunks, toMemberChunk } from "./member-chunks.ts";
import { readProperty } from "../../base/util/read-property.ts";
import {
  memberStep,
  memberStepOptions,
  placeOfMember,
  readMemberAnswer,
  restoreMemberTurns,
  toMemberOutput,
} from "./member-step.ts";
import type { MemberOutput, MemberRunRequest, StreamedMemberOutput } from "./member-step.ts";
import type { TeamMember } from "./members.ts";

/**
 * The team's run and its members. `persists`: the members' sessions outlive the run. `isShown`: the stream includes
 * text of members that is not part of the team's answer.
 */
type MemberRunsOptions = { run: Run; members: readonly TeamMember[]; persists: boolean; isShown: boolean };

/** The options and the usage meter of a member's run, and the steps of its part of the team's run. */
type Started = { readonly opts: RunOpts; readonly meter: UsageMeter; readonly steps: RunSteps };

/** The share of the remaining time that a member may use. The rest is for the orchestrator's answer. */
const membersShare = 0.8;

/** The child runs that one run of a team starts: each in the member's session, on the team run's usage meter. */
export class MemberRuns {
  readonly #options: MemberRunsOptions;
  readonly #storage = new InMemoryStorage();
  /** The members that have received a delegation, each with its last error. */
  readonly #started = new Map<TeamMember, TroupeError | undefined>();

  /** Receives the text of members; undefined if it is not shown. */
  #shown: ShownChunks | undefined;

  constructor(options: MemberRunsOptions) {
    this.#options = options;
  }

  /** Milliseconds that a delegation may take if it starts now. */
  get timeoutMs(): number {
    return Math.max(1, Math.floor((this.#options.run.endsAt - performance.now()) * membersShare));
  }

  /** Restores the sessions that last only as long as the run, in a later process of a durable run. */
  async restoreSessions(): Promise<void> {
    const { run, persists } = this.#options;
    if (!persists && run.settings.ephemeralStorage === undefined) await restoreMemberTurns(run, this.#storage);
  }

  /**
   * Yields the chunks of work that runs members. If the team streams its members, also yields the members' text during
   * that work.
   */
  showText<Result>(work: AsyncGenerator<StreamChunk, Result>): AsyncGenerator<StreamChunk, Result> {
    if (!this.#options.isShown) return work;
    this.#shown = new ShownChunks();
    return this.#shown.during(work);
  }

  /** Stops showing the text of members, for members that start after this call. */
  hideText(): void {
    this.#shown = undefined;
  }

  /** Runs a member of the team and waits for its output. */
  async run(delegation: MemberRunRequest): Promise<MemberOutput> {
    const started = this.#start(delegation);
    const { meter } = started;
    try {
      // A member that has journal steps of its own also assigns its chunks to these steps.
      const options = memberStepOptions<MemberOutput>(delegation, meter, this.#options.run);
      const work = (step?: OpenStep) => this.#perform(delegation, started, options.call && step);
      return await started.steps.step<MemberOutput>(memberStep, "member", work, {
        ...options,
        toStored: toMemberOutput,
        readAnswer: readMemberAnswer,
      });
    } catch (error) {
      throw this.#fail(delegation, meter, error);
    }
  }

  /** Streams a member: yields its chunks except `finish`, and returns its output. */
  async *stream(delegation: MemberRunRequest): AsyncGenerator<StreamChunk, StreamedMemberOutput> {
    const { opts, meter, steps } = this.#start(delegation);
    try {
      const start = () => streamMember(delegation, opts, meter);
      return yield* steps.stream<StreamChunk, StreamedMemberOutput>(memberStep, "member", start, {
        ...memberStepOptions(delegation, meter, this.#options.run),
        toStored: (streamed) => ({ ...streamed, output: toMemberOutput(streamed.output) }),
        readAnswer: (result) => ({ output: readMemberAnswer(result), finishReason: "stop" }),
      });
    } catch (error) {
      throw this.#fail(delegation, meter, error);
    }
  }

  /** Records that a member had a delegation whose result is stored. `steps` are the steps of that delegation. */
  noteStored(member: TeamMember, steps: RunSteps): void {
    const end = steps.endOf(memberStep);
    // If its step has no stored end, the member was not run, because the arguments of the delegation were wrong.
    if (end === undefined) return;
    if (end.error !== undefined || !this.#started.has(member)) this.#started.set(member, end.error);
  }

  /** Throws if every member had a delegation and all results are errors. */
  requireAnAnswer(results: readonly ToolCallResult[]): void {
    const { members } = this.#options;
    const allFailed = results.every(({ error }) => error !== undefined);
    if (allFailed && members.every((member) => this.#started.has(member))) {
      throw allMembersFailed([...this.#started.values()]);
    }
  }

  /** Runs a member, and streams its text if the team streams its members. */
  async #perform(delegation: MemberRunRequest, { opts, meter }: Started, open?: OpenStep): Promise<RunOutput> {
    const shown = this.#shown;
    if (shown === undefined) return await runMember(delegation, opts, meter);
    const { member, context } = delegation;
    const origin = { name: member.name, delegationId: context.toolCallId };
    const chunks = streamMember(delegation, opts, meter);
    let next = await chunks.next();
    for (; next.done !== true; next = await chunks.next()) {
      if (!isTextChunk(next.value)) continue;
      const chunk = toMemberChunk(next.value, origin);
      if (open === undefined) this.#options.run.steps.durable?.chunkSteps.tagLike(chunk, next.value);
      else open.tag(chunk);
      await shown.push(chunk);
    }
    return next.value.output;
  }

  #start({ member, context }: MemberRunRequest): Started {
    const { run, persists } = this.#options;
    if (!this.#started.has(member)) this.#started.set(member, undefined);
    const meter = new UsageMeter({ parent: meterOf(context) ?? run.meter });
    // A nested team uses the outer run's storage for sessions that last only as long as the run.
    const ephemeralStorage = run.settings.ephemeralStorage ?? (persists ? undefined : this.#storage);
    const endsAt = performance.now() + this.timeoutMs;
    const steps = stepsOf(context);
    const parent = deriveContext(context, {}, { meter, ephemeralStorage, endsAt, steps: steps.part(memberStep) });
    const runId = persists ? undefined : context.runId;
    const sessionId = memberSessionId(run.settings.sessionId, member.sessionName, runId);
    return { opts: { parent, signal: context.signal, sessionId }, meter, steps };
  }

  #fail({ member }: MemberRunRequest, meter: UsageMeter, thrown: unknown): TroupeError {
    countUnmeteredUsage(meter, readProperty(thrown, "output"), this.#options.run.settings.telemetry);
    const error = toTroupeError(thrown, undefined, placeOfMember(member.name));
    this.#started.set(member, error);
    return error;
  }
}

async function runMember(
  { member, content, context }: MemberRunRequest,
  opts: RunOpts,
  meter: UsageMeter,
): Promise<RunOutput> {
  return checkOutput(await member.runnable.run(content, opts), meter, telemetryOf(context));
}

async function* streamMember(
  { member, content, context }: MemberRunRequest,
  opts: RunOpts,
  meter: UsageMeter,
): AsyncGenerator<StreamChunk, StreamedMemberOutput & { output: RunOutput }> {
  const stream = member.runnable.stream(content, opts);
  let finishReason: FinishReason = "stop";
  for await (const chunk of stream) {
    if (chunk.type === "finish") finishReason = chunk.finishReason;
    else yield chunk;
  }
  return { output: checkOutput(await stream.output, meter, telemetryOf(context)), finishReason };
}

function checkOutput(output: RunOutput, meter: UsageMeter, telemetry: Telemetry | undefined): RunOutput {
  countUnmeteredUsage(meter, output, telemetry);
  if (typeof readProperty(output, "text") === "string") return output;
  throw new TroupeError("invalid_value", "The output of a member must have a text of type string.");
}

/**
 * Makes the error of a team whose members all failed, with the code of their errors if all have the same code. A member
 * without an error timed out.
 */
function allMembersFailed(errors: readonly (TroupeError | undefined)[]): TroupeError {
  const [code, ...others] = new Set(errors.map((error): ErrorCode => error?.code ?? "timeout"));
  const isOne = code !== undefined && others.length === 0;
  const cause = errors.find((error) => error !== undefined);
  // A member that was cancelled, but not by this run, counts as failed, like any other member.
  const shared = isOne && code !== "cancelled" ? code : "model_failed";
  const reason = shared === "internal" && cause !== undefined ? `: ${cause.message}` : ".";
  return new WrapperError(shared, `All members of the team failed, so it has no answer${reason}`, { cause });
}
