import type { Artifact, Failure, RunnableKind, Source, StepStatus, ToolOutcome, Usage, Wait } from "../api/wire.ts";

/** A file beside a question: one that is here, or one that the service keeps. */
export type QuestionFile = {
  readonly name: string;
  readonly type: string;
  readonly file?: File;
  /** The address of the stored file. */
  readonly url?: string;
};

/** A question of a person. */
export type Question = {
  readonly text: string;
  readonly files: readonly QuestionFile[];
  /** True when the page does not know all of it, since it was asked elsewhere or is too long to be remembered. */
  readonly isPartial?: true;
};

/** A call of a tool in an answer. */
export type ToolPart = {
  readonly type: "tool";
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON; incomplete while they arrive. */
  readonly args: string;
  readonly progress?: unknown;
  readonly outcome?: ToolOutcome;
  /** The question that has to be answered before the call goes on. */
  readonly wait?: Wait;
};

/** A step of a workflow, with what its agent answers. */
export type StepPart = {
  readonly type: "step";
  readonly name: string;
  readonly parts: readonly AnswerPart[];
  readonly status?: StepStatus;
  readonly durationMs?: number;
};

/** A part of an answer, in the order in which they came. */
export type AnswerPart =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | ToolPart
  | StepPart
  /** A question that belongs to no tool call. */
  | { readonly type: "wait"; readonly wait: Wait }
  /** The state that a workflow ended with. */
  | { readonly type: "state"; readonly state: unknown };

/** The state of a turn: `running` from the moment of sending, `waiting` while the run waits for an answer. */
export type TurnStatus = "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";

/** A question and the answer to it, as they are shown. */
export type Turn = {
  /** Tells the turn from the others on the page. */
  readonly key: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly question: Question;
  readonly status: TurnStatus;
  readonly parts: readonly AnswerPart[];
  readonly sources: readonly Source[];
  readonly runId?: string;
  /** The number of the turn in its session, once it is stored. */
  readonly seq?: number;
  readonly usage?: Usage;
  readonly failure?: Failure;
  /** True when the service has not stored the turn. */
  readonly isUnstored?: boolean;
  /** True while the connection is broken and the page tries to take it up again. */
  readonly isBroken?: boolean;
  readonly startedAt?: number;
  readonly firstTokenMs?: number;
  readonly durationMs?: number;
};

/** Returns a turn that has just been sent. */
export function newTurn(of: Pick<Turn, "key" | "kind" | "name" | "question"> & { startedAt?: number }): Turn {
  return { ...of, status: "running", parts: [], sources: [] };
}

/** Returns true while more of the answer may come. */
export function isUnderWay({ status }: Turn): boolean {
  return status === "running" || status === "waiting";
}

/** Returns the text of an answer, without its thinking and its tools. */
export function textOf(parts: readonly AnswerPart[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "step" ? [textOf(part.parts)] : [];
    })
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Returns all artifacts of an answer's tools. */
export function artifactsOf(part: ToolPart): readonly Artifact[] {
  return part.outcome?.artifacts ?? [];
}
