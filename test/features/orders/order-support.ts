// For the tests of orders.

export const tea = { name: 'Tea', quantity: 2, unitPrice: 749 };

export const german = { line1: 'Am Markt 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
