/** The five steps of the rail: what is done in each, and its result. */
const steps = [
  { name: 'Data', does: 'Drop a spreadsheet. Its columns are recognised; you are asked only where they are unclear.' },
  { name: 'Labels', does: 'Pick the right answer with one key. Each row comes with a suggestion.' },
  { name: 'Train', does: 'Half a minute for most files, on this machine. Nothing leaves it.' },
  { name: 'Check', does: 'See where it is wrong, what that costs and what it may decide alone.' },
  { name: 'Deploy', does: 'Your programs ask, and get an answer with a confidence they can trust.' },
];

/** A picture of where this leads: the five steps, and a decision at their end. */
export function Way() {
  return (
    <figure className="way" aria-label="Five steps from a file to decisions">
      <ol>
        {steps.map(({ name, does }) => (
          <li key={name}>
            <strong>{name}</strong>
            <span className="muted">{does}</span>
          </li>
        ))}
      </ol>
      <figcaption>
        <q>The cup arrived in pieces.</q>
        <span aria-hidden="true">→</span>
        <span className="tag good">approve</span>
        <span className="muted">97% sure · small amount, damaged goods</span>
      </figcaption>
    </figure>
  );
}
