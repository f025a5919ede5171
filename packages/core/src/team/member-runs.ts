import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import { WrapperError } from "../errors/wrapper-error.ts";
import type { MessageContent } from "../message/content.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { UsageMeter, countUnmeteredUsage } from "../run/usage-meter.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { RunOutput } from "../run/run-output.ts";
import { deriveContext } from "../run/derive-context.ts";
import type { Run } from "../run/run.ts";
import { memberSessionId } from "../session/session-id.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { readProperty } from "../util/read-property.ts";
import type { TeamMember } from "./members.ts";

/** One delegation, for `MemberRuns`: the member to run, its input, and the context of the parent run. */
export type MemberRunRequest = {
  readonly member: TeamMember;
  readonly content: MessageContent;
  readonly context: RunContext;
};

/** The output of a member whose run was streamed, and the reason why the run finished. */
export type StreamedMemberOutput = { readonly output: RunOutput; readonly finishReason: FinishReason };

/** The run of the team, its members, and whether their sessions outlive it. */
type MemberRunsOptions = { run: Run; members: readonly TeamMember[]; persists: boolean };

/** The part of the remaining time that a member may use. The rest is for the orchestrator's answer. */
const membersShare = 0.8;

/** The child runs that one run of a team starts: each in the member's session, on the usage meter of the team's run. */
export class MemberRuns {
  readonly #options: MemberRunsOptions;
  readonly #storage = new InMemoryStorage();
  /** The members with a delegation so far, each with its last error. */
  readonly #started = new Map<TeamMember, TroupeError | undefined>();

  constructor(options: MemberRunsOptions) {
    this.#options = options;
  }

  /** Milliseconds that a delegation may take if it starts now. */
  get timeoutMs(): number {
    return Math.max(1, Math.floor((this.#options.run.endsAt - performance.now()) * membersShare));
  }

  /** Runs a member and waits for its output. */
  async run(delegation: MemberRunRequest): Promise<RunOutput> {
    const { opts, meter } = this.#start(delegation);
    const { runnable } = delegation.member;
    try {
      return checkOutput(await runnable.run(delegation.content, opts), meter);
    } catch (error) {
      throw this.#fail(delegation, meter, error);
    }
  }

  /** Streams a member: yields its chunks but for `finish`, and returns its output. */
  async *stream(delegation: MemberRunRequest): AsyncGenerator<StreamChunk, StreamedMemberOutput> {
    const { opts, meter } = this.#start(delegation);
    const { runnable } = delegation.member;
    try {
      const stream = runnable.stream(delegation.content, opts);
      let finishReason: FinishReason = "stop";
      for await (const chunk of stream) {
        if (chunk.type === "finish") finishReason = chunk.finishReason;
        else yield chunk;
      }
      return { output: checkOutput(await stream.output, meter), finishReason };
    } catch (error) {
      throw this.#fail(delegation, meter, error);
    }
  }

  /** Throws when every member had a delegation and all results are errors. */
  requireAnAnswer(results: readonly ToolCallResult[]): void {
    const { members } = this.#options;
    const allFailed = results.every(({ error }) => error !== undefined);
    if (allFailed && members.every((member) => this.#started.has(member))) {
      throw allMembersFailed([...this.#started.values()]);
    }
  }

  #start({ member, context }: MemberRunRequest): { opts: RunOpts; meter: UsageMeter } {
    const { run, persists } = this.#options;
    if (!this.#started.has(member)) this.#started.set(member, undefined);
    const meter = new UsageMeter({ parent: run.meter });
    // Within a run that has ephemeral sessions itself, they go to the same storage.
    const ephemeralStorage = run.settings.ephemeralStorage ?? (persists ? undefined : this.#storage);
    const parent = deriveContext(context, {}, { meter, ephemeralStorage, endsAt: performance.now() + this.timeoutMs });
    const runId = persists ? undefined : context.runId;
    const sessionId = memberSessionId(run.settings.sessionId, member.sessionName, runId);
    return { opts: { parent, signal: context.signal, sessionId }, meter };
  }

  #fail({ member }: MemberRunRequest, meter: UsageMeter, thrown: unknown): TroupeError {
    countUnmeteredUsage(meter, readProperty(thrown, "output"));
    const error = toTroupeError(thrown, undefined, `The member ${JSON.stringify(member.name)}`);
    this.#started.set(member, error);
    return error;
  }
}

function checkOutput(output: RunOutput, meter: UsageMeter): RunOutput {
  countUnmeteredUsage(meter, output);
  if (typeof readProperty(output, "text") === "string") return output;
  throw new TroupeError("invalid_value", "The output of a member must have a text of type string.");
}

/** The error of a team whose members all failed: with their code when they share one. A member without an error timed out. */
function allMembersFailed(errors: readonly (TroupeError | undefined)[]): TroupeError {
  const [code, ...others] = new Set(errors.map((error): ErrorCode => error?.code ?? "timeout"));
  const isOne = code !== undefined && others.length === 0;
  const cause = errors.find((error) => error !== undefined);
  // A member that was cancelled, and not by this run, has failed like any other.
  const shared = isOne && code !== "cancelled" ? code : "model_failed";
  const reason = shared === "internal" && cause !== undefined ? `: ${cause.message}` : ".";
  return new WrapperError(shared, `All members of the team failed, so it has no answer${reason}`, { cause });
}
