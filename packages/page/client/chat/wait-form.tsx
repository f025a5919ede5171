import { useState } from "preact/hooks";
import type { Wait } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import { DataView } from "../ui/data-view.tsx";
import { isObject, readJson } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";

/** Sends the answer to a question of a run. Rejects with a sentence for the user. */
export type AnswerWait = (waitId: string, answer: object) => Promise<void>;

/** A possible answer: the label of its button, and the function that builds it from the entered text. */
type Choice = { readonly label: string; readonly isMain?: boolean; readonly toAnswer: (text: string) => object };

/** The form for a kind of wait: its title by what the wait is about, its input field, and the possible answers. */
type Form = {
  readonly title: (about: string) => string;
  readonly field?: string;
  readonly choices: readonly Choice[];
};

const forms: Readonly<Record<Wait["kind"], Form>> = {
  approval: {
    title: (tool) => `May ${tool} be called?`,
    field: "Reason, if you refuse (the model is told)",
    choices: [
      { label: "Approve", isMain: true, toAnswer: () => ({ approved: true }) },
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
    field: "Its result, if it happened: text or JSON",
    choices: [
      { label: "It happened", toAnswer: (text) => ({ choice: "happened", result: readJson(text) ?? text }) },
      { label: "Call it again", toAnswer: () => ({ choice: "again" }) },
      { label: "Give up", toAnswer: () => ({ choice: "giveUp" }) },
    ],
  },
  upgrade: {
    title: () => "The service has changed since this run began.",
    choices: [
      { label: "Try again", isMain: true, toAnswer: () => ({ choice: "again" }) },
      { label: "Give up", toAnswer: () => ({ choice: "giveUp" }) },
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

/** A question of a run with its possible answers. It does not take the focus: the page announces it. */
export function WaitForm({ wait, onAnswer }: { wait: Wait; onAnswer: AnswerWait }) {
  const [text, setText] = useState("");
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { title, field, choices } = forms[wait.kind];
  const send = async ({ toAnswer }: Choice): Promise<void> => {
    setSending(true);
    setFailure(undefined);
    try {
      await onAnswer(wait.waitId, toAnswer(text.trim()));
    } catch (error) {
      setFailure((error as Error).message);
    }
    setSending(false);
  };
  const heading = title(subjectOf(wait));
  return (
    <section class="wait" aria-label={heading}>
      <p class="wait-title">
        <Icon name="pause" size={18} />
        {heading}
      </p>
      {wait.kind !== "question" && <DataView value={argsOf(wait)} />}
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
            onClick={() => void send(choice)}
          >
            {choice.label}
          </button>
        ))}
      </div>
    </section>
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
