import type { RunnableInfo, RunnableKind } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import { Icon } from "../ui/icon.tsx";

/** The kinds of runnables with their headings, in display order. */
export const kinds: readonly { readonly kind: RunnableKind; readonly heading: string }[] = [
  { kind: "agent", heading: "Agents" },
  { kind: "team", heading: "Teams" },
  { kind: "workflow", heading: "Workflows" },
];

type Picking = {
  readonly runnables: readonly RunnableInfo[];
  readonly chosen: RunnableInfo | undefined;
  readonly onChoose: (runnable: RunnableInfo) => void;
};

/** The list in which the user chooses an agent, a team or a workflow. */
export function RunnablePicker({ runnables, chosen, onChoose }: Picking) {
  return (
    <label class="picker" data-kind={chosen?.kind}>
      <Icon name={chosen?.kind ?? "agent"} size={16} />
      <span class="unseen">Agent, team or workflow</span>
      <select
        value={chosen && idOf(chosen)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const runnable = runnables.find((each) => idOf(each) === value);
          if (runnable !== undefined) onChoose(runnable);
        }}
      >
        {kinds.map(({ kind, heading }) => {
          const group = runnables.filter((each) => each.kind === kind);
          return group.length === 0 ? null : (
            <optgroup key={kind} label={heading}>
              {group.map((each) => (
                <option key={idOf(each)} value={idOf(each)}>
                  {plainLine(each.name)}
                </option>
              ))}
            </optgroup>
          );
        })}
      </select>
    </label>
  );
}

/** Returns a string that identifies a runnable. The name is not enough, because an agent and a team may share it. */
function idOf({ kind, name }: RunnableInfo): string {
  return `${kind} ${name}`;
}
