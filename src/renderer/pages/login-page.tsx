import { type FormEvent, useState } from 'react';
import { useStore } from 'zustand';
import { TextField } from '../parts/fields.tsx';
import { useWorkbench } from '../workbench.tsx';

/** Shown without a session: how to get one. */
export function LoginPage() {
  const { session } = useWorkbench();
  const problem = useStore(session.store, (state) => state.problem);
  const [token, setToken] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') session.open(token);
  };
  return (
    <div className="stack" style={{ maxWidth: '40rem', margin: '2rem auto' }}>
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
      <pre>npm run -s workbench -- token</pre>
      <form className="card stack" onSubmit={submit}>
        <TextField
          label="Session token"
          hint="Kept in this browser tab only."
          type="password"
          autoComplete="off"
          value={token}
          onValue={setToken}
        />
        <div className="row">
          <button type="submit" className="primary" disabled={token.trim() === ''}>
            Open the workbench
          </button>
        </div>
      </form>
    </div>
  );
}
