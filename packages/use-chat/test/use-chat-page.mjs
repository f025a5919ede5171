import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";

/** A page with `useChat` as its documentation shows it. The id of the chat and its messages outlive a reload. */
function ChatPage() {
  const chat = useChat({
    id: "chat-1",
    resume: true,
    messages: JSON.parse(sessionStorage.getItem("messages") ?? "[]"),
    transport: new DefaultChatTransport({ api: "/agents/helper/ui" }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { messages, status, error, sendMessage, regenerate, addToolApprovalResponse } = chat;
  sessionStorage.setItem("messages", JSON.stringify(messages.filter(({ role }) => role === "user")));
  const parts = messages.flatMap((message) => message.parts);
  const asked = parts.find((part) => isToolUIPart(part) && part.state === "approval-requested");
  const button = (label, onClick) => createElement("button", { key: label, onClick }, label);
  return createElement(
    "main",
    null,
    createElement("output", { id: "status" }, error?.message ?? status),
    ...messages.map(({ role, parts: own }, index) =>
      createElement("p", { key: index, className: role }, own.map(({ text = "" }) => text).join("")),
    ),
    button("Send", () => sendMessage({ text: "Pay the bill." })),
    button("Regenerate", () => regenerate()),
    asked === undefined
      ? null
      : button("Approve", () => addToolApprovalResponse({ id: asked.approval.id, approved: true })),
  );
}

createRoot(document.getElementById("root")).render(createElement(StrictMode, null, createElement(ChatPage)));
