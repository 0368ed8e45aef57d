import './start.css';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { readLoginCode } from '../../api/session.ts';
import { Form } from '../../parts/form.tsx';
import { Snippet } from '../../parts/text/snippet.tsx';
import { useOperation } from '../../state/queries.ts';
import { useWorkbench } from '../../state/workbench.ts';

/** Shown without a session: how to get one. */
export function Login() {
  const { session } = useWorkbench();
  const problem = useStore(session.store, (state) => state.problem);
  const dataDir = useOperation('system.ready', {}).data?.['data_dir'];
  const [token, setToken] = useState('');
  const submit = () => {
    const code = readLoginCode(token);
    if (code !== null) window.location.hash = `#login=${code}`;
    else if (token.trim() !== '') session.open(token);
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
        Open the link that the program printed when it started, here or in another tab: it works once, within ten
        minutes. After that, print a token on the same machine, in the program’s folder, and paste it here:
      </p>
      <Snippet
        name="Print a token"
        text={`npm run -s workbench -- token${dataDir === undefined ? '' : ` --data-dir "${dataDir}"`}`}
      />
      <Form onSubmit={submit}>
        <TextInput
          type="password"
          label="Session token"
          description="Or the link. Signs in all tabs of this browser for at most a day."
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <div className="row">
          <Button variant="filled" type="submit" disabled={token.trim() === ''}>
            Open the workbench
          </Button>
        </div>
      </Form>
    </main>
  );
}
