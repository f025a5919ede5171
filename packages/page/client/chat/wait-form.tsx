import { useState } from "preact/hooks";
import type { Wait } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import { DataView } from "../ui/data-view.tsx";
import { formatValue, isObject, readJson } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { strings } from "../strings/strings.ts";

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
    title: strings.waits.approval,
    field: strings.waits.reason,
    choices: [
      {
        label: strings.waits.approve,
        isMain: true,
        toAnswer: (_, args) => ({ approved: true, ...(args !== undefined && { args }) }),
      },
      { label: strings.waits.refuse, toAnswer: (reason) => ({ approved: false, ...(reason !== "" && { reason }) }) },
    ],
  },
  input: {
    title: strings.waits.input,
    field: strings.waits.result,
    choices: [
      { label: strings.waits.sendResult, isMain: true, toAnswer: (text) => ({ result: readJson(text) ?? text }) },
      { label: strings.waits.itFailed, toAnswer: (text) => ({ error: text || strings.waits.itFailedError }) },
    ],
  },
  doubt: {
    title: strings.waits.doubt,
    reason: strings.waits.doubtReason,
    field: strings.waits.doubtResult,
    choices: [
      {
        label: strings.waits.happened,
        effect: strings.waits.happenedEffect,
        toAnswer: (text) => ({ choice: "happened", result: readJson(text) ?? text }),
      },
      {
        label: strings.waits.callAgain,
        effect: strings.waits.callAgainEffect,
        toAnswer: () => ({ choice: "again" }),
      },
      { label: strings.waits.giveUp, effect: strings.waits.giveUpCallEffect, toAnswer: () => ({ choice: "giveUp" }) },
    ],
  },
  upgrade: {
    title: () => strings.waits.upgrade,
    reason: strings.waits.upgradeReason,
    choices: [
      {
        label: strings.waits.tryAgain,
        effect: strings.waits.tryAgainEffect,
        isMain: true,
        toAnswer: () => ({ choice: "again" }),
      },
      { label: strings.waits.giveUp, effect: strings.waits.giveUpRunEffect, toAnswer: () => ({ choice: "giveUp" }) },
    ],
  },
  question: {
    title: (question) => question,
    field: strings.waits.answer,
    choices: [
      { label: strings.waits.sendAnswer, isMain: true, toAnswer: (text) => ({ result: readJson(text) ?? text }) },
    ],
  },
  event: { title: strings.waits.event, choices: [] },
  sleep: { title: () => strings.waits.sleep, choices: [] },
};

type WaitProps = {
  readonly wait: Wait & {
    /** True if the arguments are shown in part, so that they cannot be changed here. */
    readonly isCut?: true;
  };
  readonly onAnswer: AnswerWait;
};

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
        {mayChange(wait) && changed === undefined && (
          <button type="button" onClick={() => setChanged(formatValue(argsOf(wait)))}>
            {strings.waits.change}
          </button>
        )}
      </div>
      <Effects choices={choices} />
    </section>
  );
}

function mayChange(wait: WaitProps["wait"]): boolean {
  return wait.kind === "approval" && wait.isCut !== true && isObject(argsOf(wait));
}

/** Sends the answer to a wait. Shows a sentence if it is refused, or if the changed arguments are not a JSON object. */
function useSending({ wait, onAnswer }: WaitProps) {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const send = async (toAnswer: (args: object | undefined) => object, changed: string | undefined): Promise<void> => {
    const args = changed === undefined ? undefined : readJson(changed);
    if (changed !== undefined && !isObject(args)) return setFailure(strings.waits.notObject);
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
      <span>{strings.waits.jsonArguments}</span>
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
    <ul class="effects" aria-label={strings.waits.answers}>
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
  const [field, unknown] = subjects[kind] ?? ["toolName", strings.waits.theTool];
  const subject = isObject(about) ? about[field] : undefined;
  return typeof subject === "string" ? plainLine(subject) : unknown;
}

/** The field of `about` that names the subject of a wait, and the words for a wait without this field. */
const subjects: Partial<Record<Wait["kind"], readonly [field: string, unknown: string]>> = {
  question: ["question", strings.waits.unknownQuestion],
  event: ["event", strings.waits.anEvent],
};

function argsOf({ about }: Wait): unknown {
  return isObject(about) && "args" in about ? about["args"] : about;
}
