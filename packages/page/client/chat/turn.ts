import type {
  Artifact,
  Failure,
  RunnableKind,
  Source,
  StepStatus,
  ToolCallOutcome,
  Usage,
  Wait,
} from "@troupe-internal/client";
import { toWorkflowInput } from "../api/workflow-input.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import { isObject } from "../ui/format.ts";

/** A file attached to a question: a local file, or a file that the service stores. */
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
  /** The input of a workflow, if the user has filled in its form. The text shows the fields in lines. */
  readonly fields?: WorkflowFields;
  readonly files: readonly QuestionFile[];
  /** True if the page knows only part of the question, because it was asked elsewhere or is too long to remember. */
  readonly isPartial?: true;
};

/** A tool call in an answer. */
export type ToolPart = {
  readonly type: "tool";
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON; incomplete while they arrive. */
  readonly args: string;
  readonly progress?: unknown;
  /** The text of the team's member so far, if the call delegates to a member. */
  readonly said?: string;
  readonly outcome?: ToolCallOutcome;
  /** True if the arguments and the result are not shared with the reader. */
  readonly isPrivate?: true;
  /** The question that must be answered before the call continues. */
  readonly wait?: Wait;
};

/** A step of a workflow, with the answer of its agent. */
export type StepPart = {
  readonly type: "step";
  readonly name: string;
  readonly parts: readonly AnswerPart[];
  readonly status?: StepStatus;
  readonly durationMs?: number;
};

/** A part of an answer. */
export type AnswerPart =
  /** A piece of text or thinking; `speaker` is the member that gives the answer of its team. */
  | { readonly type: "text" | "thinking"; readonly text: string; readonly speaker?: string }
  | ToolPart
  | StepPart
  /** A question that belongs to no tool call. */
  | { readonly type: "wait"; readonly wait: Wait }
  /** The final state of a workflow. */
  | { readonly type: "state"; readonly state: unknown };

/** The state of a turn: `running` as soon as it is sent, `waiting` while the run waits for an answer. */
export type TurnStatus = "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";

/** A question and its answer in the form that the page shows. */
export type Turn = {
  /** The id of the turn on the page. */
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
  /** True if the service has not stored the turn. */
  readonly isUnstored?: boolean;
  /** True while the connection is broken and the page tries to reconnect. */
  readonly isBroken?: boolean;
  readonly startedAt?: number;
  readonly firstTokenMs?: number;
  readonly durationMs?: number;
};

/** Returns a question with another text, which is read as fields if the question has fields. */
export function withQuestionText({ fields, ...question }: Question, text: string): Question {
  const read = fields === undefined ? undefined : toWorkflowInput(text, fields);
  return { ...question, text, ...(isObject(read) && { fields: read }) };
}

/** Returns a turn that has just been sent. */
export function newTurn(of: Pick<Turn, "key" | "kind" | "name" | "question"> & { startedAt?: number }): Turn {
  return { ...of, status: "running", parts: [], sources: [] };
}

/** Returns true while more of the answer may arrive. */
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

/** Returns the artifacts of a tool call. */
export function artifactsOf(part: ToolPart): readonly Artifact[] {
  return part.outcome?.artifacts ?? [];
}
