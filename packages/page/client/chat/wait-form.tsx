import { useState } from "preact/hooks";
import type { Wait } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import { DataView } from "../ui/data-view.tsx";
import { formatValue, isObject, readJson } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";

/** Sends the answer to a question of a run. Rejects with a sentence for the user. */
export type AnswerWait = (waitId: string, answer: object) => Promise<void>;

/**
 * A possible answer: the label of its button, what it will do, and the function that builds it from the entered text and
 * the changed arguments.
 */
type Choice = {
  readonly label: string;
  readonly effect?: string;
  readonly isMain?: boolean;
  readonly toAnswer: (text: string, args: object | undefined) => object;
};

/**
 * The texts of the form for a kind of wait: its title, made from what the wait is about; the reason, if users may not
 * expect such a wait; the label of its input field; the possible answers.
 */
type Form = {
  readonly title: (about: string) => string;
  readonly reason?: string;
  readonly field?: string;
  readonly choices: readonly Choice[];
};

const forms: Readonly<Record<Wait["kind"], Form>> = {
  approval: {
    title: (tool) => `May ${tool} be called?`,
    field: "Reason, if you refuse (the model is told)",
    choices: [
      {
        label: "Approve",
        isMain: true,
        toAnswer: (_, args) => ({ approved: true, ...(args !== undefined && { args }) }),
      },
      { label: "Refuse", toAnswer: (reason) => ({ approved: false, ...(reason !== "" && { reason }) }) },
    ],
  },
  input: {
    title: (tool) => `What is the result of ${tool}?`,
    field: "Result: text or JSON",
    choices: [
      { label: "Send result", isMain: true, toAnswer: (text) => ({ result: readJson(text) ?? text }) },
      { label: "It failed", toAnswer: (text) => ({ error: text || "It failed." }) },
    ],
  },
  doubt: {
    title: (tool) => `${tool} was cut off. Did it happen?`,
    reason: "The service stopped during this call. It does not know if the call took effect.",
    field: "Its result, if it happened: text or JSON",
    choices: [
      {
        label: "It happened",
        effect: "The run goes on with the result that you enter. Nothing is called.",
        toAnswer: (text) => ({ choice: "happened", result: readJson(text) ?? text }),
      },
      {
        label: "Call it again",
        effect: "If it did happen, it then happens twice.",
        toAnswer: () => ({ choice: "again" }),
      },
      { label: "Give up", effect: "The call counts as failed.", toAnswer: () => ({ choice: "giveUp" }) },
    ],
  },
  upgrade: {
    title: () => "The service has changed since this run began.",
    reason: "Something that the run has used is gone, or works differently now.",
    choices: [
      {
        label: "Try again",
        effect: "The run goes on with what the service has now.",
        isMain: true,
        toAnswer: () => ({ choice: "again" }),
      },
      { label: "Give up", effect: "The run ends here.", toAnswer: () => ({ choice: "giveUp" }) },
    ],
  },
  question: {
    title: (question) => question,
    field: "Your answer: text or JSON",
    choices: [{ label: "Send answer", isMain: true, toAnswer: (text) => ({ result: readJson(text) ?? text }) }],
  },
  event: { title: (event) => `This run waits for ${event}.`, choices: [] },
  sleep: { title: () => "This run waits, and goes on by itself.", choices: [] },
};

type WaitProps = { readonly wait: Wait; readonly onAnswer: AnswerWait };

/** A question of a run with its possible answers. It does not take the focus: the page announces it. */
export function WaitForm({ wait, onAnswer }: WaitProps) {
  const [text, setText] = useState("");
  /** The arguments as changed by the user. Undefined until the user changes the arguments that the model gave. */
  const [changed, setChanged] = useState<string>();
  const { isSending, failure, send } = useSending({ wait, onAnswer });
  const { title, reason, field, choices } = forms[wait.kind];
  const heading = title(subjectOf(wait));
  return (
    <section class="wait" aria-label={heading}>
      <p class="wait-title">
        <Icon name="pause" size={18} />
        {heading}
      </p>
      {reason !== undefined && <p>{reason}</p>}
      <Arguments wait={wait} changed={changed} onChange={setChanged} />
      {field !== undefined && (
        <label class="field">
          <span>{field}</span>
          <input value={text} onInput={(event) => setText(event.currentTarget.value)} autocomplete="off" />
        </label>
      )}
      {failure !== undefined && (
        <p role="alert" class="failure">
          {failure}
        </p>
      )}
      <div class="buttons">
        {choices.map((choice) => (
          <button
            key={choice.label}
            type="button"
            class={choice.isMain === true ? "main" : ""}
            disabled={isSending}
            onClick={() => void send((args) => choice.toAnswer(text.trim(), args), changed)}
          >
            {choice.label}
          </button>
        ))}
        {wait.kind === "approval" && changed === undefined && isObject(argsOf(wait)) && (
          <button type="button" onClick={() => setChanged(formatValue(argsOf(wait)))}>
            Change arguments
          </button>
        )}
      </div>
      <Effects choices={choices} />
    </section>
  );
}

/** Sends the answer to a wait. Shows a sentence if it is refused, or if the changed arguments are not a JSON object. */
function useSending({ wait, onAnswer }: WaitProps) {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const send = async (toAnswer: (args: object | undefined) => object, changed: string | undefined): Promise<void> => {
    const args = changed === undefined ? undefined : readJson(changed);
    if (changed !== undefined && !isObject(args)) return setFailure("The arguments must be an object in JSON.");
    setSending(true);
    setFailure(undefined);
    try {
      await onAnswer(wait.waitId, toAnswer(isObject(args) ? args : undefined));
    } catch (error) {
      setFailure((error as Error).message);
    }
    setSending(false);
  };
  return { isSending, failure, send };
}

type ArgumentsProps = {
  readonly wait: Wait;
  readonly changed: string | undefined;
  readonly onChange: (text: string) => void;
};

/** The subject of a wait: data, or a field in which its arguments are changed. A question stands in the title. */
function Arguments({ wait, changed, onChange }: ArgumentsProps) {
  if (wait.kind === "question") return null;
  if (changed === undefined) return <DataView value={argsOf(wait)} />;
  return (
    <label class="field">
      <span>Arguments in JSON</span>
      <textarea
        class="code"
        rows={Math.min(12, changed.split("\n").length + 1)}
        spellcheck={false}
        value={changed}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** The effects of the answers whose labels do not describe the effect. */
function Effects({ choices }: { choices: readonly Choice[] }) {
  const explained = choices.filter(({ effect }) => effect !== undefined);
  if (explained.length === 0) return null;
  return (
    <ul class="effects" aria-label="Answers">
      {explained.map(({ label, effect }) => (
        <li key={label}>
          <b>{label}</b>: {effect}
        </li>
      ))}
    </ul>
  );
}

/** Returns the subject of a wait: the tool that is called, the question that is asked, or the event that is awaited. */
function subjectOf({ kind, about }: Wait): string {
  const [field, unknown] = subjects[kind] ?? ["toolName", "the tool"];
  const subject = isObject(about) ? about[field] : undefined;
  return typeof subject === "string" ? plainLine(subject) : unknown;
}

/** The field of `about` that names the subject of a wait, and the words for a wait without this field. */
const subjects: Partial<Record<Wait["kind"], readonly [field: string, unknown: string]>> = {
  question: ["question", "This run asks for an answer."],
  event: ["event", "an event"],
};

function argsOf({ about }: Wait): unknown {
  return isObject(about) && "args" in about ? about["args"] : about;
}
