"""What fills the page of results and the list of differences from d2l."""
