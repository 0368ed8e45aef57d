import { Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useStore } from 'zustand';
import { useWorkbench } from '../../workbench.tsx';

/** Shown without a session: how to get one. */
export function Login() {
  const { session } = useWorkbench();
  const problem = useStore(session.store, (state) => state.problem);
  const [token, setToken] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') session.open(token);
  };
  return (
    <main className="login stack">
      <h1>Open the workbench</h1>
      {problem && (
        <p className="note warn" role="alert">
          {problem}
        </p>
      )}
      <p>
        This page needs a session. Start the program with <code>npm start</code>: it opens the workbench already signed
        in. For a server that runs without a window, print a token on the same machine and paste it here:
      </p>
      <pre className="snippet">npm run -s workbench -- token</pre>
      <form className="stack" onSubmit={submit}>
        <PasswordInput
          label="Session token"
          description="Kept in this browser tab only."
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the token', tabIndex: 0 }}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <div className="row">
          <Button type="submit" disabled={token.trim() === ''}>
            Open the workbench
          </Button>
        </div>
      </form>
    </main>
  );
}
