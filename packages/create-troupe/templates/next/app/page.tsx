import { Chat } from "./chat.tsx";

export default function Page() {
  return (
    <main>
      <h1>Helper</h1>
      <Chat />
    </main>
  );
}
