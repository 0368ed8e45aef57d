import { Button, Modal } from '@mantine/core';

type QuestionProps = { heading?: string; title: string; yes?: string; run(): void; onClose(): void };

/** Asks before more rows than one are changed, or such an act is taken back; Enter leaves all as it is. */
export function QuestionDialog({ heading = 'Undo this?', title, yes = 'Undo it', run, onClose }: QuestionProps) {
  const take = () => {
    onClose();
    run();
  };
  return (
    <Modal opened title={heading} onClose={onClose}>
      <div className="stack">
        <p className="wrap">{title}</p>
        <div className="row between">
          <Button data-autofocus onClick={onClose}>
            {yes === 'Undo it' ? 'Keep it' : 'Cancel'}
          </Button>
          <Button variant="filled" onClick={take}>
            {yes}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
