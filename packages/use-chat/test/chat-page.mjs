import { createElement, StrictMode, useRef } from "react";
import { createRoot } from "react-dom/client";

/** The agent that the page talks with, such as `/?agent=helper`. */
const agent = new URLSearchParams(location.search).get("agent");

/**
 * Shows a page with `useChat` of one version of the SDK, as its documentation shows it. The id of the chat and its messages
 * outlive a reload.
 */
export function showChat({ useChat, ai }) {
  const { DefaultChatTransport, isToolUIPart } = ai;
  const isComplete = (chat) =>
    ai.lastAssistantMessageIsCompleteWithApprovalResponses(chat) ||
    ai.lastAssistantMessageIsCompleteWithToolCalls(chat);

  function ChatPage() {
    const files = useRef(null);
    const chat = useChat({
      id: `chat-of-${agent}`,
      resume: true,
      messages: JSON.parse(sessionStorage.getItem("messages") ?? "[]"),
      transport: new DefaultChatTransport({ api: `/agents/${agent}/ui` }),
      sendAutomaticallyWhen: isComplete,
      onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) => {
        if (tool === "locate") void chat.addToolOutput({ tool, toolCallId, output: { city: "Ås" } });
      },
    });
    const { messages, status, error, sendMessage, regenerate, stop, addToolApprovalResponse } = chat;
    sessionStorage.setItem("messages", JSON.stringify(messages.filter(({ role }) => role === "user")));
    const parts = messages.flatMap((message) => message.parts);
    const asked = parts.find((part) => isToolUIPart(part) && part.state === "approval-requested");
    const button = (label, onClick) => createElement("button", { key: label, onClick }, label);
    const answer = (approved) => () => void addToolApprovalResponse({ id: asked.approval.id, approved });
    return createElement(
      "main",
      null,
      createElement("output", { id: "status" }, error?.message ?? status),
      ...messages.map(({ role, parts: own }, index) =>
        createElement("p", { key: index, className: role }, own.map(({ text = "" }) => text).join("")),
      ),
      createElement(
        "ul",
        { id: "tools" },
        parts
          .filter(isToolUIPart)
          .map(({ state }) => state)
          .join(" "),
      ),
      createElement("input", { key: "files", type: "file", ref: files }),
      button("Send", () => sendMessage({ text: "Pay the bill.", files: files.current.files })),
      button("Regenerate", () => regenerate()),
      button("Stop", () => stop()),
      asked === undefined ? null : button("Approve", answer(true)),
      asked === undefined ? null : button("Deny", answer(false)),
    );
  }

  createRoot(document.getElementById("root")).render(createElement(StrictMode, null, createElement(ChatPage)));
}
