import { CodeBlock } from "./code-block.tsx";
import { formatValue, isObject } from "./format.ts";

/** A value for people to read: the fields of an object one below the other, anything else as JSON. */
export function DataView({ value }: { value: unknown }) {
  if (!isObject(value) || Object.keys(value).length === 0)
    return <CodeBlock language="json" text={formatValue(value)} />;
  return (
    <dl class="data">
      {Object.entries(value).map(([name, field]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof field === "object" && field !== null ? <pre tabIndex={0}>{formatValue(field)}</pre> : String(field)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
