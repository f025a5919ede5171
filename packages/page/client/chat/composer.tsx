import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunnableInfo } from "@troupe-internal/client";
import { toLines, toQuestionText } from "../api/workflow-input.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import { plainLine } from "../ui/unseen.ts";
import { Icon } from "../ui/icon.tsx";
import { RunnablePicker } from "./runnable-picker.tsx";
import { useFileDrop } from "./use-file-drop.ts";
import { useWorkflowForm, WorkflowForm } from "./workflow-form.tsx";
import { strings } from "../strings/strings.ts";

/** The runnable to ask, the state of the conversation, and the actions of the composer. */
type ComposerProps = {
  readonly runnables: readonly RunnableInfo[];
  readonly chosen: RunnableInfo | undefined;
  /** Example fields for the input of a chosen workflow. */
  readonly example: WorkflowFields | undefined;
  /** True while a run is active, which can be stopped. */
  readonly isAnswering: boolean;
  /** True while a turn is being deleted so that its question can be asked again. */
  readonly isReplacing: boolean;
  readonly onChoose: (runnable: RunnableInfo) => void;
  readonly onSend: (text: string, files: File[], fields?: WorkflowFields) => void;
  readonly onStop: () => void;
};

/**
 * The input field for a question: Enter sends, Shift and Enter break the line. It keeps the focus. A workflow that
 * declares its input has a form instead.
 */
export function Composer({ runnables, chosen, example, onChoose, onSend, onStop, ...busy }: ComposerProps) {
  const [text, setText] = useState("");
  const takesFiles = chosen?.input.includes("parts") === true;
  const { files, setFiles } = useFiles(takesFiles);
  const form = useRef<HTMLFormElement>(null);
  const { shownForm, read } = useWorkflowForm(chosen);
  const isFilled = text.trim() !== "" || files.length > 0 || chosen?.kind === "workflow";
  const maySend = chosen !== undefined && isFilled && !busy.isAnswering && !busy.isReplacing;
  const send = () => {
    if (!maySend) return;
    if (read !== undefined) return read((fields) => onSend(toQuestionText(fields), [], fields));
    onSend(text, [...files]);
    setText("");
    setFiles([]);
  };
  const add = (added: Iterable<File>) => setFiles([...files, ...added]);
  useFileDrop(form, add);
  return (
    <form
      class="composer"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <FileList files={files} onRemove={(file) => setFiles(files.filter((each) => each !== file))} />
      {shownForm === undefined ? (
        <QuestionField
          text={text}
          placeholder={placeholderFor(chosen, example)}
          onText={setText}
          onFiles={add}
          onEnter={send}
        />
      ) : (
        <WorkflowForm {...shownForm} isHidden={busy.isAnswering} />
      )}
      <div class="tools">
        {takesFiles && <FileButton onFiles={add} />}
        <RunnablePicker runnables={runnables} chosen={chosen} onChoose={onChoose} />
        <MainButton isAnswering={busy.isAnswering} maySend={maySend} onStop={onStop} />
      </div>
    </form>
  );
}

type ButtonProps = { isAnswering: boolean; maySend: boolean; onStop: () => void };

/** The button that sends the form, or stops the active run: it then takes the focus of a form that is hidden. */
function MainButton({ isAnswering, maySend, onStop }: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const page = button.current?.ownerDocument;
    if (isAnswering && page !== undefined && page.activeElement === page.body) button.current?.focus();
  }, [isAnswering]);
  if (isAnswering) {
    return (
      <button
        ref={button}
        type="button"
        class="round"
        onClick={onStop}
        aria-label={strings.composer.stop}
        title={strings.composer.stop}
      >
        <Icon name="stop" />
      </button>
    );
  }
  return (
    <button
      type="submit"
      class="round main"
      aria-disabled={!maySend}
      aria-label={strings.composer.send}
      title={strings.composer.send}
    >
      <Icon name="send" />
    </button>
  );
}

/**
 * Returns the files to send, and a function that replaces them. If the chosen runnable takes no files, the attached
 * files are neither shown nor sent until a runnable that takes files is chosen.
 */
function useFiles(takesFiles: boolean) {
  const [attached, setAttached] = useState<readonly File[]>([]);
  return {
    files: takesFiles ? attached : [],
    setFiles: (files: readonly File[]) => {
      if (takesFiles) setAttached(files);
    },
  };
}

type FieldProps = {
  text: string;
  placeholder: string;
  onText: (text: string) => void;
  onFiles: (files: Iterable<File>) => void;
  onEnter: () => void;
};

function QuestionField({ text, placeholder, onText, onFiles, onEnter }: FieldProps) {
  return (
    <textarea
      id="question"
      rows={1}
      aria-label={strings.composer.question}
      placeholder={placeholder}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
      onPaste={(event) => onFiles(event.clipboardData?.files ?? [])}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}

/**
 * Returns the placeholder of the field. The example of a workflow is written in lines, in the form in which it can be
 * typed.
 */
function placeholderFor(chosen: RunnableInfo | undefined, example: WorkflowFields | undefined): string {
  if (chosen === undefined) return strings.composer.nothing;
  const name = plainLine(chosen.name);
  if (chosen.kind !== "workflow") return strings.composer.ask(name);
  const lines = example === undefined ? [] : toLines(example).map(plainLine);
  const [first] = lines;
  if (first === undefined) return strings.composer.start(name);
  if (lines.length === 1) return strings.composer.startWith(name, first);
  return [strings.composer.startWithLines(name), ...lines].join("\n");
}

function FileList({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label={strings.composer.toSend}>
      {files.map((file, index) => (
        <li key={index} class="chip">
          <Icon name="file" size={16} />
          <span class="file-name">{plainLine(file.name)}</span>
          <button
            type="button"
            class="quiet"
            onClick={() => onRemove(file)}
            aria-label={strings.composer.removeFile(plainLine(file.name))}
          >
            <Icon name="cross" size={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function FileButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={strings.common.files}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <button
        type="button"
        class="quiet"
        onClick={() => input.current?.click()}
        aria-label={strings.composer.attach}
        title={strings.composer.attach}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}
