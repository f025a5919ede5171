import type { ToolCallOutcome } from "@troupe-internal/client";
import { CodeBlock } from "../ui/code-block.tsx";
import { plainLine } from "../ui/unseen.ts";
import { formatDuration, formatShort, formatValue, isObject, readJson } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icon.tsx";
import { ArtifactView, ResultView } from "./artifact-view.tsx";
import { PassageCards } from "./passage-cards.tsx";
import { readPassages } from "./passages.ts";
import { artifactsOf } from "./turn.ts";
import type { ToolPart } from "./turn.ts";
import { WaitForm } from "./wait-form.tsx";
import type { AnswerWait } from "./wait-form.tsx";
import { strings } from "../strings/strings.ts";

type CardState = "running" | "waiting" | "done" | "failed" | "cut";

const words: Readonly<Record<CardState, string>> = {
  running: strings.parts.running,
  waiting: strings.parts.waits,
  done: strings.parts.done,
  failed: strings.parts.failed,
  cut: strings.parts.noResult,
};

const icons: Readonly<Record<Exclude<CardState, "running">, IconName>> = {
  waiting: "pause",
  done: "check",
  failed: "cross",
  cut: "cross",
};

/** A tool call: two lines with its name, arguments and result, and everything when it is opened. */
export function ToolCard({ tool, isLive, onAnswer }: { tool: ToolPart; isLive: boolean; onAnswer: AnswerWait }) {
  const state = stateOf(tool, isLive);
  return (
    <div class="tool" data-state={state}>
      {tool.isPrivate === true ? <PrivateCall tool={tool} state={state} /> : <OpenCall tool={tool} state={state} />}
      {tool.wait !== undefined && <WaitForm key={tool.wait.waitId} wait={tool.wait} onAnswer={onAnswer} />}
      {artifactsOf(tool).map((artifact, index) => (
        <ArtifactView key={index} artifact={artifact} />
      ))}
    </div>
  );
}

type CallProps = { readonly tool: ToolPart; readonly state: CardState };

/** A tool call that is not shared with the reader: its name and its state. */
function PrivateCall({ tool, state }: CallProps) {
  return (
    <p class="private-call">
      <Icon name={state === "running" ? "tool" : icons[state]} size={16} />
      <span class="tool-name">{plainLine(tool.name)}</span> <span class="muted">{words[state]}</span>
    </p>
  );
}

/** A tool call that can be opened to see its arguments and its result. */
function OpenCall({ tool, state }: CallProps) {
  const { outcome } = tool;
  return (
    <details>
      <Summary tool={tool} state={state} />
      <div class="tool-body">
        <p class="label">{strings.parts.argumentsOf(plainLine(tool.name))}</p>
        <CodeBlock language="json" text={tool.args === "" ? "{}" : formatValue(readJson(tool.args) ?? tool.args)} />
        {outcome !== undefined && (
          <p class="label">{outcome.error === undefined ? strings.common.result : strings.common.error}</p>
        )}
        {outcome !== undefined && <Result outcome={outcome} />}
      </div>
    </details>
  );
}

/** The result of a tool call: the passages that a search has found as cards, anything else as it is. */
function Result({ outcome: { error, result } }: { outcome: ToolCallOutcome }) {
  const passages = error === undefined ? readPassages(result) : undefined;
  if (passages !== undefined) return <PassageCards passages={passages} />;
  return <ResultView result={error ?? (typeof result === "string" ? (readJson(result) ?? result) : result)} />;
}

/** The name, the arguments and the result of a tool call in two lines. */
function Summary({ tool, state }: CallProps) {
  const durationMs = tool.outcome?.durationMs;
  return (
    <summary>
      <span class="tool-state">
        {state === "running" ? <span class="spinner" /> : <Icon name={icons[state]} size={16} />}
      </span>
      <span class="tool-call">
        <span class="tool-name">{plainLine(tool.name)}</span>
        <span class="unseen"> {words[state]}</span> <span class="tool-args">{shortArgs(tool.args)}</span>
      </span>
      {durationMs !== undefined && <span class="muted">{formatDuration(durationMs)}</span>}
      <span class="turner">
        <Icon name="chevron" size={16} />
      </span>
      <Preview tool={tool} />
    </summary>
  );
}

/** The beginning of a tool call's result, or its newest progress. */
function Preview({ tool: { outcome, progress } }: { tool: ToolPart }) {
  if (outcome !== undefined)
    return <span class="preview">{formatShort(outcome.error ?? summaryOf(outcome.result))}</span>;
  return progress === undefined ? null : <span class="preview">{formatShort(progress)}</span>;
}

/**
 * Returns a tool result for one line: the titles of found passages, and of a result in parts only the texts and the
 * types of other parts.
 */
function summaryOf(result: unknown): unknown {
  const passages = readPassages(result);
  if (passages !== undefined) return passages.map(({ number, title }) => `[${number}] ${plainLine(title)}`).join(" · ");
  if (typeof result === "string" && isObject(readJson(result))) return shortArgs(result);
  if (!Array.isArray(result)) return result;
  const texts = result.map((part: unknown) => (isObject(part) ? (part["text"] ?? part["type"]) : part));
  return texts.map((text) => formatShort(text)).join(" · ");
}

function stateOf({ wait, outcome }: ToolPart, isLive: boolean): CardState {
  if (wait !== undefined) return "waiting";
  if (outcome !== undefined) return outcome.error === undefined ? "done" : "failed";
  return isLive ? "running" : "cut";
}

/** Writes the arguments or the result of a tool call, which are JSON, in one line: `city: Oslo, nights: 2`. */
function shortArgs(args: string): string {
  const value = readJson(args);
  if (!isObject(value)) return formatShort(args, 80);
  const fields = Object.entries(value).slice(0, 6);
  return formatShort(fields.map(([name, field]) => `${name}: ${formatShort(field, 60)}`).join(", "), 100);
}
