SELECT auction, price FROM bid WHERE auction % 7 = 0
