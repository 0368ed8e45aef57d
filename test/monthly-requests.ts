/** Requests whose answers hold for a month: easy where examples are held out at random, and hard by date. */

/** For twenty rows of a month the answer follows a habit of it in nine of ten cases, and a fact otherwise. */
export const createMonthlyRequests = (count: number, dateField: string) =>
  Array.from({ length: count }, (_, i) => {
    const month = Math.floor(i / 20);
    const isUrgent = i % 20 < 10;
    const isHabit = (month * 7) % 13 < 6;
    return {
      input: {
        urgent: isUrgent,
        campaign: (month * 7919) % 1009,
        minutes: (i * 733) % 997,
        [dateField]: `${2020 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')}-${10 + (i % 15)}`,
      },
      decision: (i % 10 < 9 ? isHabit : isUrgent) ? 'call back' : 'write',
    };
  });
