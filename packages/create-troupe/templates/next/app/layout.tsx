import type { ReactNode } from "react";

export const metadata = { title: "{{name}}" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ font: "1rem/1.5 system-ui", maxWidth: "40rem", margin: "2rem auto", padding: "0 1rem" }}>
        {children}
      </body>
    </html>
  );
}
