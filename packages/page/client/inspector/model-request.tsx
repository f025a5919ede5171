import type { InspectedModelCall, ShownJson } from "../../src/inspector/inspected-run.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatCount, formatShort, isObject } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";
import { toCurl } from "./to-curl.ts";
import { ValueView } from "./value-view.tsx";
import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";
import { useModelCall } from "./use-model-call.ts";
import type { CallPlace } from "./use-model-call.ts";

/** A model call as it was sent: the model, the settings, the system prompt, the messages and the tools. */
export function ModelRequest(place: CallPlace) {
  const { call, failure } = useModelCall(place);
  if (failure !== undefined)
    return (
      <p class="muted">
        {inspectorStrings.asSentFailed} {toVisible(failure)}
      </p>
    );
  if (call === undefined) return <p class="muted">{inspectorStrings.loadingSent}</p>;
  return (
    <section class="sent" aria-label={inspectorStrings.asSent}>
      <header>
        <h4>{inspectorStrings.asSent}</h4>
        <CopyButton text={toCurl(call)} name={inspectorStrings.copyCurl} words="curl" />
        <CopyButton text={JSON.stringify(call, undefined, 2)} name={inspectorStrings.copyCall} />
      </header>
      <Settings call={call} />
      {call.system.map((content, index) => (
        <ValueView key={index} name={inspectorStrings.systemPrompt} value={content} isOneOfMany />
      ))}
      <Messages messages={call.messages} />
      <Tools tools={call.tools} />
    </section>
  );
}

/** The names of settings for people. */
const settingNames: Readonly<Record<string, string>> = {
  temperature: inspectorStrings.temperature,
  topP: inspectorStrings.topP,
  maxTokens: inspectorStrings.mostTokensOut,
  stop: inspectorStrings.stopsAt,
  seed: inspectorStrings.seed,
  reasoningEffort: inspectorStrings.effort,
  outputType: strings.common.output,
};

function Settings({ call: { providerId, modelId, isStream, settings } }: { call: InspectedModelCall }) {
  const given = isObject(settings) ? Object.entries(settings) : [];
  const facts = [
    [inspectorStrings.vendor, providerId],
    [inspectorStrings.model, modelId],
    [inspectorStrings.answer, isStream ? "streamed" : "whole"],
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

const roles: Readonly<Record<string, string>> = {
  user: inspectorStrings.user,
  assistant: inspectorStrings.model,
  tool: inspectorStrings.tool,
};

function Messages({ messages }: { messages: readonly ShownJson[] }) {
  return (
    <section aria-label={inspectorStrings.messages}>
      <h5>
        {inspectorStrings.messages} <small>{formatCount(messages.length)}</small>
      </h5>
      <ol class="sent-messages">
        {messages.map((message, index) => (
          <li key={index}>
            <ValueView name={nameOf(message)} value={contentOf(message)} isOneOfMany />
          </li>
        ))}
      </ol>
    </section>
  );
}

function nameOf(message: ShownJson): string {
  const { role, name } = fieldsOf(message);
  const shown =
    typeof role === "string" && Object.hasOwn(roles, role) ? (roles[role] ?? role) : inspectorStrings.message;
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
    <section aria-label={inspectorStrings.tools}>
      <h5>
        {inspectorStrings.tools} <small>{formatCount(tools.length)}</small>
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
            <ValueView name={inspectorStrings.parameters} value={parameters} />
          </details>
        );
      })}
    </section>
  );
}

function fieldsOf(value: ShownJson): Readonly<Record<string, ShownJson>> {
  return isObject(value) ? value : {};
}
