import { useMemo, useState } from "preact/hooks";
import type { RunnableInfo } from "@troupe-internal/client";
import { fieldsOf, readForm, textOfField } from "../api/form-fields.ts";
import type { FormField, FormTexts } from "../api/form-fields.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import { plainLine } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";

/** The texts of the form of one workflow, and the sentences about its fields. */
type Draft = { readonly texts: FormTexts; readonly faults: Readonly<Record<string, string>> };

const emptyDraft: Draft = { texts: {}, faults: {} };

/**
 * Returns the form for a workflow that declares its input, and a function that sends its fields, or shows which of them
 * are wrong. The entered texts are kept after they are sent, and while another runnable is chosen.
 */
export function useWorkflowForm(chosen: RunnableInfo | undefined) {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map());
  const fields = useMemo(() => fieldsOf(chosen?.inputSchema), [chosen]);
  if (chosen === undefined || fields === undefined) return {};
  const { name } = chosen;
  const draft = drafts.get(name) ?? emptyDraft;
  const change = (changed: Draft) => setDrafts(new Map(drafts).set(name, changed));
  const onText = (field: string, text: string) => {
    const { [field]: _, ...faults } = draft.faults;
    change({ texts: { ...draft.texts, [field]: text }, faults });
  };
  const read = (onFields: (fields: WorkflowFields) => void): void => {
    const result = readForm(fields, draft.texts);
    change({ ...draft, faults: result.faults });
    if (Object.keys(result.faults).length === 0) onFields(result.fields);
  };
  return { shownForm: { name, fields, ...draft, onText }, read };
}

type FormProps = {
  /** The name of the workflow. */
  readonly name: string;
  readonly fields: readonly FormField[];
  readonly texts: FormTexts;
  /** The sentences about fields that could not be read, by name. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onText: (name: string, text: string) => void;
  /** True while a workflow runs: its steps then have the room. */
  readonly isHidden: boolean;
};

/** The fields of a workflow's input, in place of the field for a question. */
export function WorkflowForm({ name, fields, texts, faults, onText, isHidden }: FormProps) {
  if (isHidden) return null;
  return (
    <div class="form-fields" role="group" aria-label={strings.form.inputOf(plainLine(name))}>
      {fields.map((field, index) => {
        const fault = Object.hasOwn(faults, field.name) ? faults[field.name] : undefined;
        return (
          <FieldView
            key={field.name}
            field={field}
            id={`field-${index}`}
            text={textOfField(field, texts)}
            fault={fault}
            onText={(text) => onText(field.name, text)}
          />
        );
      })}
    </div>
  );
}

type FieldProps = {
  readonly field: FormField;
  readonly id: string;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
};

function FieldView(props: FieldProps) {
  const { field, id, fault } = props;
  return (
    <div class="form-field" data-kind={field.kind}>
      <label for={id}>
        {plainLine(field.label)}
        {!field.isRequired && field.kind !== "switch" && <span class="muted"> {strings.form.optional}</span>}
      </label>
      <Control {...props} />
      {field.hint !== undefined && (
        <small id={`${id}-hint`} class="muted">
          {plainLine(field.hint)}
        </small>
      )}
      {fault !== undefined && (
        <small id={`${id}-fault`} class="fault" role="alert">
          {plainLine(fault)}
        </small>
      )}
    </div>
  );
}

/** The input element of a field. */
function Control(props: FieldProps) {
  const { field, text, onText } = props;
  const shared = sharedOf(props);
  switch (field.kind) {
    case "switch":
      return (
        <input
          {...shared}
          type="checkbox"
          checked={text === "true"}
          onChange={(event) => onText(String(event.currentTarget.checked))}
        />
      );
    case "choice":
      return <ChoiceControl {...props} />;
    case "lines":
    case "json":
      return (
        <textarea
          {...shared}
          rows={2}
          required={field.isRequired}
          placeholder={field.kind === "json" ? strings.form.json : strings.form.lines}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      );
    default:
      return (
        <input
          {...shared}
          {...(field.kind === "number" ? { type: "number" } : {})}
          {...field.limits}
          required={field.isRequired}
          autocomplete="off"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      );
  }
}

function ChoiceControl(props: FieldProps) {
  const { field, text, onText } = props;
  const { isRequired, choices } = field;
  return (
    <select
      {...sharedOf(props)}
      required={isRequired}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
    >
      <option value="">{isRequired ? strings.form.choose : strings.form.none}</option>
      {choices.map(({ label }, index) => (
        <option key={label} value={String(index)}>
          {plainLine(label)}
        </option>
      ))}
    </select>
  );
}

/** Returns the attributes that all controls have: the id, and the elements that describe the field. */
function sharedOf({ field, id, fault }: FieldProps) {
  const described = [
    ...(field.hint === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  return {
    id,
    "aria-describedby": described.length === 0 ? undefined : described.join(" "),
    "aria-invalid": fault === undefined ? undefined : ("true" as const),
  };
}
