import { Markdown } from "../markdown/markdown.tsx";
import { Face } from "../ui/face.tsx";
import { formatDuration, formatShort, isObject, readJson } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { plainLine } from "../ui/unseen.ts";
import { ArtifactView } from "./artifact-view.tsx";
import { artifactsOf } from "./turn.ts";
import type { ToolPart } from "./turn.ts";
import { WaitForm } from "./wait-form.tsx";
import type { AnswerWait } from "./wait-form.tsx";
import { strings } from "../strings/strings.ts";

/** Returns the member that a tool call delegates to; undefined for other tool calls. */
export function memberOf({ name }: ToolPart): string | undefined {
  return /^delegate_to_(.+)$/s.exec(name)?.[1];
}

type MemberProps = {
  readonly call: ToolPart;
  readonly member: string;
  readonly isLive: boolean;
  readonly onAnswer: AnswerWait;
};

/** A step of a team: the member, its task, and its text so far. */
export function MemberCard({ call, member, isLive, onAnswer }: MemberProps) {
  const { wait, outcome } = call;
  const name = plainLine(member);
  const isAnswering = outcome === undefined && wait === undefined && isLive;
  return (
    <div class="member" role="group" aria-label={name}>
      <details open>
        <summary>
          <Face kind="agent" name={member} />
          <span class="member-name">{name}</span>
          <span class="member-task muted">{taskOf(call.args)}</span>
          {isAnswering && <span class="spinner" />}
          <span class="unseen">{stateOf(call, isLive)}</span>
          {outcome?.durationMs !== undefined && <span class="muted">{formatDuration(outcome.durationMs)}</span>}
          <span class="turner">
            <Icon name="chevron" size={16} />
          </span>
        </summary>
        <Words call={call} />
      </details>
      {wait !== undefined && <WaitForm key={wait.waitId} wait={wait} onAnswer={onAnswer} />}
      {artifactsOf(call).map((artifact, index) => (
        <ArtifactView key={index} artifact={artifact} />
      ))}
    </div>
  );
}

function stateOf({ wait, outcome }: ToolPart, isLive: boolean): string {
  if (wait !== undefined) return "waits";
  if (outcome !== undefined) return outcome.error === undefined ? "answered" : "failed";
  return isLive ? strings.parts.answering : strings.parts.silent;
}

/** The answer of a member, or its text so far. A vote is shown as a sentence. */
function Words({ call: { said, outcome } }: { call: ToolPart }) {
  if (outcome === undefined) return said === undefined ? null : <Markdown text={said} />;
  if (outcome.error !== undefined) return <p class="failure">{plainLine(outcome.error)}</p>;
  return <Markdown text={wordsOf(outcome.result)} />;
}

/** Returns the text of a member's result: a vote as a sentence, the texts of parts, or the text itself. */
function wordsOf(result: unknown): string {
  if (Array.isArray(result)) return result.map(textOfPart).join("\n\n");
  const text = typeof result === "string" ? result : JSON.stringify(result ?? "");
  const vote = /^\s*\{\s*"agree"/.test(text) ? readJson(text) : undefined;
  if (!isObject(vote) || typeof vote["agree"] !== "boolean") return text;
  const { agree, reason } = vote;
  const why = typeof reason === "string" && reason.trim() !== "" ? `: ${reason}` : ".";
  return `${agree ? strings.parts.agrees : strings.parts.disagrees}${why}`;
}

function textOfPart(part: unknown): string {
  const text = isObject(part) ? (part["text"] ?? part["type"]) : part;
  return typeof text === "string" ? text : formatShort(text);
}

/** Returns the task of a delegation as text: the task itself, or the name of a discussion's round or vote. */
function taskOf(args: string): string {
  const value = readJson(args);
  if (!isObject(value)) return "";
  const { task, round, vote } = value;
  if (typeof task === "string") return formatShort(plainLine(task), 300);
  if (typeof round !== "number") return "";
  return vote === true ? strings.parts.votes(round) : strings.parts.speaks(round);
}
