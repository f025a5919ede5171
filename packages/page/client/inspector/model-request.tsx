import { useEffect, useState } from "preact/hooks";
import type { InspectedModelCall, ShownJson } from "../../src/inspector/inspected-run.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatCount, formatShort, isObject } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";
import type { InspectorClient } from "./inspector-client.ts";
import { toCurl } from "./to-curl.ts";
import { ValueView } from "./value-view.tsx";

type RequestProps = {
  readonly client: InspectorClient;
  readonly runId: string;
  /** The key of the model call's step in the log. */
  readonly step: string;
};

/** A model call as it was sent: the model, the settings, the system prompt, the messages and the tools. */
export function ModelRequest(props: RequestProps) {
  const { call, failure } = useModelCall(props);
  if (failure !== undefined) return <p class="muted">As it was sent: {toVisible(failure)}</p>;
  if (call === undefined) return <p class="muted">Loading what was sent…</p>;
  return (
    <section class="sent" aria-label="As it was sent">
      <header>
        <h4>As it was sent</h4>
        <CopyButton text={toCurl(call)} name="Copy as curl, without a key" words="curl" />
        <CopyButton text={JSON.stringify(call, undefined, 2)} name="Copy the call" />
      </header>
      <Settings call={call} />
      {call.system.map((content, index) => (
        <ValueView key={index} name="System prompt" value={content} />
      ))}
      <Messages messages={call.messages} />
      <Tools tools={call.tools} />
    </section>
  );
}

function useModelCall({ client, runId, step }: RequestProps) {
  const [call, setCall] = useState<InspectedModelCall>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    client.modelCall(runId, step, leaving.signal).then(setCall, (error: Error) => {
      if (!leaving.signal.aborted) setFailure(error.message);
    });
    return () => leaving.abort();
  }, [client, runId, step]);
  return { call, failure };
}

/** The names of settings for people. */
const settingNames: Readonly<Record<string, string>> = {
  temperature: "Temperature",
  topP: "Top P",
  maxTokens: "Most tokens out",
  stop: "Stops at",
  seed: "Seed",
  reasoningEffort: "Reasoning effort",
  outputType: "Output",
};

function Settings({ call: { providerId, modelId, isStream, settings } }: { call: InspectedModelCall }) {
  const given = isObject(settings) ? Object.entries(settings) : [];
  const facts = [
    ["Vendor", providerId],
    ["Model", modelId],
    ["Answer", isStream ? "streamed" : "whole"],
    ...given.map(([name, value]) => [settingNames[name] ?? name, formatShort(value)]),
  ];
  return (
    <dl class="run-facts">
      {facts.map(([name = "", value = ""]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{toVisible(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const roles: Readonly<Record<string, string>> = { user: "User", assistant: "Model", tool: "Tool" };

function Messages({ messages }: { messages: readonly ShownJson[] }) {
  return (
    <section aria-label="Messages">
      <h5>
        Messages <small>{formatCount(messages.length)}</small>
      </h5>
      <ol class="sent-messages">
        {messages.map((message, index) => (
          <li key={index}>
            <ValueView name={nameOf(message)} value={contentOf(message)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function nameOf(message: ShownJson): string {
  const { role, name } = fieldsOf(message);
  const shown = typeof role === "string" && Object.hasOwn(roles, role) ? (roles[role] ?? role) : "Message";
  return typeof name === "string" ? `${shown} ${toVisible(name)}` : shown;
}

/** Returns the content of a message, with the calls that a message of the model requests. */
function contentOf(message: ShownJson): unknown {
  if (typeof message === "string") return message;
  const { content = null, toolCalls } = fieldsOf(message);
  if (!Array.isArray(toolCalls) || toolCalls.length === 0) return content ?? "";
  const calls = toolCalls.map((call: ShownJson) => ({
    tool: fieldsOf(call)["name"],
    args: fieldsOf(call)["arguments"],
  }));
  return content === null || content === "" ? calls : { text: content, calls };
}

function Tools({ tools }: { tools: readonly ShownJson[] }) {
  if (tools.length === 0) return null;
  return (
    <section aria-label="Tools">
      <h5>
        Tools <small>{formatCount(tools.length)}</small>
      </h5>
      {tools.map((tool, index) => {
        if (typeof tool === "string") return <p key={index}>{toVisible(tool)}</p>;
        const { name, description, parameters } = fieldsOf(tool);
        return (
          <details key={index} class="sent-tool">
            <summary>
              <code>{toVisible(formatShort(name))}</code>{" "}
              <span class="muted">{toVisible(formatShort(description ?? ""))}</span>
            </summary>
            <ValueView name="Parameters" value={parameters} />
          </details>
        );
      })}
    </section>
  );
}

function fieldsOf(value: ShownJson): Readonly<Record<string, ShownJson>> {
  return isObject(value) ? value : {};
}
