"use client";

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useState } from "react";
import type { FormEvent } from "react";

/** A chat with the helper. Each text and tool call of an answer is a part of its message. */
export function Chat() {
  const [transport] = useState(() => new DefaultChatTransport({ api: "/api/agents/helper/ui" }));
  const { messages, sendMessage, status, error } = useChat({ transport });
  const [input, setInput] = useState("What should I take along to Oslo?");

  function submit(event: FormEvent): void {
    event.preventDefault();
    void sendMessage({ text: input });
    setInput("");
  }

  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <article key={id}>
          <strong>{role === "user" ? "You" : "Helper"}: </strong>
          {parts.map((part, index) => {
            if (part.type === "text") return <span key={index}>{part.text}</span>;
            return part.type.startsWith("tool-") ? <em key={index}>({part.type.slice("tool-".length)}) </em> : null;
          })}
        </article>
      ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <label>
          Message <input value={input} onChange={({ target }) => setInput(target.value)} size={40} />
        </label>{" "}
        <button disabled={status !== "ready" || input.trim() === ""}>Send</button>
      </form>
    </>
  );
}
