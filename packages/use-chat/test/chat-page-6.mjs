import * as ai from "ai-6";
import { useChat } from "ai-react-6";
import { showChat } from "./chat-page.mjs";

showChat({ ai, useChat });
