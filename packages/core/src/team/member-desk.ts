import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { MessageContent } from "../message/content.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import { countForeignUsage } from "../run/count-foreign-usage.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { RunOutput } from "../run/run-output.ts";
import { contextWithin } from "../run/run.ts";
import type { Run } from "../run/run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { memberSessionId } from "../session/session-id.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { readProperty } from "../util/read-property.ts";
import type { Member } from "./member.ts";
import { nobodyAnswered } from "./nobody-answered.ts";

/** What is asked of a member, and the context that its run is part of. */
export type Question = { readonly member: Member; readonly content: MessageContent; readonly context: RunContext };

/** What a member answered, and why it stopped. */
export type Heard = { readonly output: RunOutput; readonly finishReason: FinishReason };

/** Whose desk it is. */
type Office = { run: Run; members: readonly Member[]; persists: boolean };

/** Of the time that is left, what a member may use: the orchestrator is to have the rest for its answer. */
const membersShare = 0.8;

/** Where members are asked within one run of a team: each in its session, and on the run's account. */
export class MemberDesk {
  readonly #office: Office;
  readonly #storage = new InMemoryStorage();
  /** Those who were asked, and what they failed with last. */
  readonly #asked = new Map<Member, TroupeError | undefined>();

  constructor(office: Office) {
    this.#office = office;
  }

  /** How long a member may take that is asked now. */
  get timeoutMs(): number {
    return Math.max(1, Math.floor((this.#office.run.endsAt - performance.now()) * membersShare));
  }

  /** Asks a member, and waits for its answer. */
  async ask(question: Question): Promise<RunOutput> {
    const { opts, meter } = this.#open(question);
    const { runnable } = question.member;
    try {
      return answerOf(await runnable.run(question.content, opts), meter);
    } catch (error) {
      throw this.#failed(question, meter, error);
    }
  }

  /** Asks a member, and shows what it streams; its own end is no chunk of the team's. */
  async *listen(question: Question): AsyncGenerator<StreamChunk, Heard> {
    const { opts, meter } = this.#open(question);
    const { runnable } = question.member;
    try {
      const stream = runnable.stream(question.content, opts);
      let finishReason: FinishReason = "stop";
      for await (const chunk of stream) {
        if (chunk.type === "finish") finishReason = chunk.finishReason;
        else yield chunk;
      }
      return { output: answerOf(await stream.output, meter), finishReason };
    } catch (error) {
      throw this.#failed(question, meter, error);
    }
  }

  /** Throws when every member was asked and not one of them has answered. */
  requireAnswers(results: readonly ToolCallResult[]): void {
    const { members } = this.#office;
    const isSilent = results.every(({ error }) => error !== undefined) && members.every((one) => this.#asked.has(one));
    if (isSilent) throw nobodyAnswered([...this.#asked.values()]);
  }

  #open({ member, context }: Question): { opts: RunOpts; meter: UsageMeter } {
    const { run, persists } = this.#office;
    if (!this.#asked.has(member)) this.#asked.set(member, undefined);
    const meter = new UsageMeter({ parent: run.meter });
    // Where the team is itself part of a run with such sessions, they are kept there.
    const ephemeralStorage = run.settings.ephemeralStorage ?? (persists ? undefined : this.#storage);
    const parent = contextWithin(context, {}, { meter, ephemeralStorage, endsAt: performance.now() + this.timeoutMs });
    const runId = persists ? undefined : context.runId;
    const sessionId = memberSessionId(run.settings.sessionId, member.sessionName, runId);
    return { opts: { parent, signal: context.signal, sessionId }, meter };
  }

  #failed({ member }: Question, meter: UsageMeter, thrown: unknown): TroupeError {
    countForeignUsage(meter, readProperty(thrown, "output"));
    const error = toTroupeError(thrown);
    this.#asked.set(member, error);
    return error;
  }
}

function answerOf(output: RunOutput, meter: UsageMeter): RunOutput {
  countForeignUsage(meter, output);
  if (typeof readProperty(output, "text") === "string") return output;
  throw new TroupeError("invalid_value", "A member must answer with an output that has a text.");
}
