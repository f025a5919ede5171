import { useChat } from "@ai-sdk/react";
import * as ai from "ai";
import { showChat } from "./chat-page.mjs";

showChat({ ai, useChat });
