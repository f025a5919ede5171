// A client in a process of its own, which asks one agent. Sends `{ text }` to its parent for each chunk.
import { io } from "socket.io-client";

const [url = "", transport = "websocket"] = process.argv.slice(2);
const socket = io(`${url}/service`, { transports: [transport], reconnection: false });
socket.on("agent.chunk", ({ chunk }: { chunk: string }) => process.send?.({ text: chunk }));
socket.emit("agent.run", { name: "a", input: "Hello?" });
