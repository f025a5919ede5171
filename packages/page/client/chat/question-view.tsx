import { useState } from "preact/hooks";
import { plainLine } from "../ui/unseen.ts";
import { Icon } from "../ui/icon.tsx";
import type { Question, QuestionFile } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** A user's question, with its files. It can be edited and asked again. */
export function QuestionView({
  question,
  onEdit,
}: {
  question: Question;
  onEdit: ((text: string) => void) | undefined;
}) {
  const [isEditing, setEditing] = useState(false);
  const { text, files } = question;
  if (isEditing && onEdit !== undefined) {
    return (
      <QuestionEditor
        text={text}
        onSend={(changed) => {
          setEditing(false);
          onEdit(changed);
        }}
        onLeave={() => setEditing(false)}
      />
    );
  }
  return (
    <div class="question">
      {onEdit !== undefined && (
        <button
          type="button"
          class="quiet"
          onClick={() => setEditing(true)}
          aria-label={strings.question.change}
          title={strings.question.change}
        >
          <Icon name="edit" size={16} />
        </button>
      )}
      <div class="bubble">
        <span class="unseen">{strings.question.youAsked}</span>
        {text !== "" && <p>{text}</p>}
        {files.length > 0 && (
          <ul class="files" aria-label={strings.common.files}>
            {files.map((file, index) => (
              <li key={index}>
                <FileChip file={file} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function FileChip({ file: { name, url } }: { file: QuestionFile }) {
  const label = (
    <>
      <Icon name="file" size={16} />
      <span class="file-name">{plainLine(name)}</span>
    </>
  );
  if (url === undefined) return <span class="chip">{label}</span>;
  return (
    <a class="chip" href={url} download={plainLine(name)}>
      {label}
    </a>
  );
}

type Editing = { text: string; onSend: (text: string) => void; onLeave: () => void };

function QuestionEditor({ text, onSend, onLeave }: Editing) {
  const [changed, setChanged] = useState(text);
  const send = () => {
    if (changed.trim() !== "") onSend(changed);
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onLeave();
      }}
    >
      <label class="field">
        <span class="unseen">{strings.question.label}</span>
        <textarea
          rows={3}
          value={changed}
          onInput={(event) => setChanged(event.currentTarget.value)}
          ref={(field) => {
            if (field !== null && document.activeElement === document.body) field.focus();
          }}
        />
      </label>
      <p class="muted">{strings.question.deletes}</p>
      <div class="buttons">
        <button type="submit" class="main">
          {strings.question.askAgain}
        </button>
        <button type="button" onClick={onLeave}>
          {strings.question.leaveIt}
        </button>
      </div>
    </form>
  );
}
